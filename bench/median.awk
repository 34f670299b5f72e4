# The median of numbers between blanks; of an even count the lower one of the middle.
function median(numbers,   n, values, i, j, value) {
  n = split(numbers, values, " ")
  for (i = 2; i <= n; ++i) {
    value = values[i]
    for (j = i - 1; j > 0 && values[j] + 0 > value + 0; --j) values[j + 1] = values[j]
    values[j + 1] = value
  }
  return values[int((n + 1) / 2)]
}
