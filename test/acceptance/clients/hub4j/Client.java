import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.kohsuke.github.*;
import org.kohsuke.github.authorization.OrgAppInstallationAuthorizationProvider;
import org.kohsuke.github.extras.authorization.JWTTokenProvider;

/** Does with hub4j (github-api), as it is published, what ../../clients.test.ts says. */
public class Client {
  private static final String ORG = System.getenv("HEARTH_ORG");
  private static final String REPO = ORG + "/by-java";

  public static void main(String[] args) throws Exception {
    GitHub ada = client().withOAuthToken(System.getenv("HEARTH_TOKEN")).build();
    GitHub bob = client().withOAuthToken(System.getenv("HEARTH_OTHER_TOKEN")).build();
    same(ada.getMyself().getLogin(), "ada");
    done("sign in");

    GHRepository repo = ada.getOrganization(ORG).createRepository("by-java").description("Made of beans").create();
    repo.setHomepage("https://java.example");
    same(ada.getRepository(REPO).getHomepage(), "https://java.example");
    done("repository");

    contents(repo);
    gitData(repo);
    issues(repo);
    hooks(repo);
    search(ada);

    GHMyself me = ada.getMyself();
    GHKey key = me.addPublicKey("own", System.getenv("HEARTH_KEY"));
    same(me.getPublicKeys().size(), 1);
    key.delete();
    done("keys");

    repo.subscribe(true, false);
    same(repo.listSubscribers().toList().get(0).getLogin(), "ada");
    same(repo.getSubscription().isSubscribed(), true);
    done("watching");

    notifications(ada, bob);
    app();
  }

  private static GitHubBuilder client() {
    return new GitHubBuilder().withEndpoint(System.getenv("HEARTH_API"));
  }

  private static void contents(GHRepository repo) throws Exception {
    String path = "docs/a b#c.txt";
    repo.createContent().path(path).message("One").content("brewed one").branch("main").commit();
    GHContent read = repo.getFileContent(path);
    read.update("brewed two", "Two", "main");
    read = repo.getFileContent(path);
    same(new String(read.read().readAllBytes(), StandardCharsets.UTF_8), "brewed two");
    List<GHCommit> commits = repo.listCommits().toList();
    same(commits.size(), 2);
    same(repo.getCompare(commits.get(1), commits.get(0)).getAheadBy(), 1);
    same(repo.getCommit(commits.get(0).getSHA1()).listFiles().toList().get(0).getFileName(), path);
    same(repo.getBranches().keySet().toString(), "[main]");
    read.delete("Remove it", "main");
    repo.createContent().path("Bean.java").message("A bean").content("class Brewed {}\n").commit();
    done("contents");
  }

  private static void gitData(GHRepository repo) throws Exception {
    String main = repo.getRef("heads/main").getObject().getSha();
    GHBlob blob = repo.createBlob().textContent("raw").create();
    same(new String(repo.readBlob(blob.getSha()).readAllBytes(), StandardCharsets.UTF_8), "raw");
    String base = repo.getCommit(main).getTree().getSha();
    GHTree tree = repo.createTree().baseTree(base).shaEntry("deep/raw.txt", blob.getSha(), false).create();
    same(repo.getTreeRecursive(tree.getSha(), 1).getTree().size(), 3);
    GHCommit commit = repo.createCommit().message("By hand").tree(tree.getSha()).parent(main).create();
    GHRef ref = repo.createRef("refs/heads/feature/hand", commit.getSHA1());
    ref.updateTo(main, true);
    same(repo.getRefs("heads/feature").length, 1);
    repo.createTag("v1", "One", commit.getSHA1(), "commit");
    ref.delete();
    done("git data");
  }

  private static void issues(GHRepository repo) throws Exception {
    GHLabel label = repo.createLabel("kind/bean", "00ff00", "It grows");
    label.set().color("0000ff").update().name("kind/java").done();
    same(repo.getLabel("kind/java").getColor(), "0000ff");
    done("labels");

    GHMilestone milestone = repo.createMilestone("First", "Of all");
    milestone.setTitle("First of all");
    same(repo.getMilestone(milestone.getNumber()).getTitle(), "First of all");
    done("milestones");

    GHIssue issue = repo.createIssue("It brews").body("Slowly").label("kind/java").label("bug").assignee("ada")
        .milestone(milestone).create();
    issue.removeLabels("kind/java");
    same(issue.addLabels("kind/java").size(), 2);
    issue.lock();
    issue.unlock();
    for (String title : List.of("two", "three")) repo.createIssue(title).create();
    same(repo.queryIssues().state(GHIssueState.ALL).pageSize(1).list().toList().size(), 3);
    issue.setTitle("It brews again");
    issue.close(GHIssueStateReason.NOT_PLANNED);
    same(repo.getIssue(issue.getNumber()).getState(), GHIssueState.CLOSED);
    same(issue.listEvents().toList().stream().anyMatch(one -> one.getEvent().equals("closed")), true);
    done("issues");

    GHIssueComment comment = issue.comment("Yes");
    comment.update("No");
    same(issue.listComments().toList().get(0).getBody(), "No");
    done("comments");

    issue.createReaction(ReactionContent.ROCKET);
    comment.deleteReaction(comment.createReaction(ReactionContent.PLUS_ONE));
    same(issue.listReactions().toList().get(0).getContent(), ReactionContent.ROCKET);
    done("reactions");
  }

  private static void hooks(GHRepository repo) throws Exception {
    Map<String, String> config = Map.of("url", System.getenv("HEARTH_HOOK"), "content_type", "json");
    GHHook hook = repo.createHook("web", config, EnumSet.of(GHEvent.ISSUES), true);
    hook.ping();
    same(repo.getHook((int) hook.getId()).getEvents(), EnumSet.of(GHEvent.ISSUES));
    hook.delete();
    same(repo.getHooks().size(), 0);
    done("hooks");
  }

  private static void search(GitHub ada) throws Exception {
    eventually(() -> ada.searchContent().q("brewed").language("java").repo(REPO).list().getTotalCount() == 1);
    eventually(() -> ada.searchIssues().q("brews repo:" + REPO).list().getTotalCount() == 1);
    eventually(() -> ada.searchCommits().q("bean repo:" + REPO).list().getTotalCount() == 1);
    eventually(() -> ada.searchRepositories().q("beans in:description org:" + ORG).list().getTotalCount() == 1);
    done("search");
  }

  private static void notifications(GitHub ada, GitHub bob) throws Exception {
    bob.getRepository(REPO).createIssue("Look").body("@ada").create();
    GHThread[] thread = new GHThread[1];
    eventually(() -> {
      for (GHThread one : ada.listNotifications().nonBlocking(true))
        if (one.getRepository().getFullName().equals(REPO)) thread[0] = one;
      return thread[0] != null;
    });
    same(thread[0].getReason(), "mention");
    thread[0].subscribe(false, true);
    thread[0].markAsRead();
    done("notifications");
  }

  private static void app() throws Exception {
    JWTTokenProvider asApp = new JWTTokenProvider(System.getenv("HEARTH_APP"), Path.of(System.getenv("HEARTH_APP_PKCS8")));
    same(client().withAuthorizationProvider(asApp).build().getApp().getId(), Long.parseLong(System.getenv("HEARTH_APP")));
    OrgAppInstallationAuthorizationProvider installed = new OrgAppInstallationAuthorizationProvider(ORG, asApp);
    GitHub bot = client().withAuthorizationProvider(installed).build();
    same(bot.getRepository(REPO).createIssue("By the app").create().getUser().getType(), "Bot");
    same(bot.getInstallation().listRepositories().toList().isEmpty(), false);
    done("app");
  }

  /** Asks again until the answer is there: indexes and inboxes follow a moment later. */
  private static void eventually(Callable<Boolean> ask) throws Exception {
    for (int tries = 0; tries < 600; tries++) {
      if (ask.call()) return;
      Thread.sleep(50);
    }
    throw new IOException("it never came");
  }

  private static void done(String step) {
    System.out.println(step);
  }

  private static void same(Object got, Object wanted) {
    if (!Objects.equals(got, wanted)) throw new AssertionError(got + " instead of " + wanted);
  }
}
