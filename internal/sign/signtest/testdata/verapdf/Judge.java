import java.io.File;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Writes what each file says it is, such as 2b, and the rules of PDF/A that it breaks, a line a file. */
public class Judge {
  public static void main(String[] files) throws Exception {
    Logger.getLogger("").setLevel(Level.OFF);
    VeraGreenfieldFoundryProvider.initialise();
    for (String name : files) {
      try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(name))) {
        ValidationResult result = Foundries.defaultInstance().createValidator(parser.getFlavour(), false).validate(parser);
        StringBuilder line = new StringBuilder(parser.getFlavour().getId());
        for (TestAssertion a : result.getTestAssertions()) {
          if (a.getStatus() != TestAssertion.Status.PASSED) {
            line.append(' ').append(a.getRuleId().getClause()).append('-').append(a.getRuleId().getTestNumber());
          }
        }
        System.out.println(line);
      }
    }
  }
}
