// What Counters shows, and how another process sees it.
package org.apache.hadoop.hbase.regionserver;

import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMX;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

public interface CountersMXBean {
  /** How many questions the Bloom filters of a table's files were asked. */
  long bloomQuestions(String table);

  /** How many of them they answered with no. */
  long bloomNegatives(String table);

  /**
   * How many blocks were asked of the block cache, whether it had them or not: data blocks; blocks of indexes below the root; Bloom chunks. A block that is
   * read as the next one counts as a data block, whatever it is: the reader does not say there what it expects, and the server's count of data blocks, which
   * leaves these out, would be too small.
   */
  long[] blocks();

  /** The counters of the server that `standalone` started. */
  static CountersMXBean connect() throws Exception {
    String process = Files.readString(Path.of(System.getenv("HBASE_CONF_DIR")).resolveSibling("pid")).trim();
    JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(VirtualMachine.attach(process).startLocalManagementAgent()));
    return JMX.newMXBeanProxy(connector.getMBeanServerConnection(), new ObjectName(Counters.NAME), CountersMXBean.class);
  }
}
