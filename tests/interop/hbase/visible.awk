# What HBase shows of the cells of one family in its order, as lines of `hfile cat`: a marker hides what is not newer than it (DeleteFamily and
# DeleteColumn) or as old as it (DeleteFamilyVersion and Delete).
BEGIN { FS = "\t" }
$1 != row { row = $1; column = "-"; family = -1; split("", family_version) }
"=" $3 != column { column = "=" $3; newest = -1; split("", deleted) }
$5 == "DeleteFamily" { if ($4 > family) family = $4; next }
$5 == "DeleteFamilyVersion" { family_version[$4]; next }
$5 == "DeleteColumn" { if ($4 > newest) newest = $4; next }
$5 == "Delete" { deleted[$4]; next }
$4 > family && $4 > newest && !($4 in family_version) && !($4 in deleted)
