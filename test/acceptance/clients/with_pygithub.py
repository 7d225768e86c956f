"""Does with PyGithub, as it is published, what ../clients.test.ts says."""

import os
import time
import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)  # of names that both PyGithub 1 and 2 know

import github  # noqa: E402

API = os.environ["HEARTH_API"]
ORG = os.environ["HEARTH_ORG"]
# PyGithub 2 waits between requests, unless it is told not to.
pace = {"seconds_between_requests": 0, "seconds_between_writes": 0} if hasattr(github, "Auth") else {}


def client(token):
    return github.Github(base_url=API, login_or_token=token, per_page=2, **pace)


def done(step):
    print(step, flush=True)


def eventually(ask):
    """Asks again until the answer is there: indexes, deliveries and inboxes follow a moment later."""
    for _ in range(600):
        found = ask()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it never came")


ada = client(os.environ["HEARTH_TOKEN"])
bob = client(os.environ["HEARTH_OTHER_TOKEN"])
me = ada.get_user()
assert me.login == "ada"
done("sign in")

org = ada.get_organization(ORG)
repo = org.create_repo("by-python", description="Made by a snake")
repo.edit(homepage="https://python.example")
assert ada.get_repo(f"{ORG}/by-python").homepage == "https://python.example"
assert "by-python" in [one.name for one in org.get_repos()]
done("repository")

repo.create_file("docs/a b#c.txt", "Say hello", "slithers one\n", branch="main")
written = repo.get_contents("docs/a b#c.txt")
repo.update_file("docs/a b#c.txt", "Say more", "slithers two\n", written.sha)
assert repo.get_contents("docs/a b#c.txt").decoded_content == b"slithers two\n"
for at in range(3):
    repo.create_file(f"slither{at}.py", "Slither along", f"def slither{at}(): return 'pythonic'\n", branch="main")
assert [one.path for one in repo.get_contents("docs")] == ["docs/a b#c.txt"]
commits = list(repo.get_commits())
assert [one.commit.message for one in commits][-2:] == ["Say more", "Say hello"]
assert repo.compare(commits[1].sha, commits[0].sha).ahead_by == 1
assert [one.filename for one in commits[0].files] == ["slither2.py"]
repo.delete_file("docs/a b#c.txt", "Remove it", repo.get_contents("docs/a b#c.txt").sha)
assert [one.name for one in repo.get_branches()] == ["main"]
done("contents")

head = repo.get_git_commit(repo.get_git_ref("heads/main").object.sha)
blob = repo.create_git_blob("raw", "utf-8")
entry = github.InputGitTreeElement("deep/raw.txt", "100644", "blob", sha=blob.sha)
tree = repo.create_git_tree([entry], head.tree)
assert "deep/raw.txt" in [one.path for one in repo.get_git_tree(tree.sha, recursive=True).tree]
commit = repo.create_git_commit("By hand", tree, [head])
ref = repo.create_git_ref("refs/heads/feature/hand", commit.sha)
ref.edit(head.sha, force=True)
assert [one.ref for one in repo.get_git_matching_refs("heads/feature")] == ["refs/heads/feature/hand"]
tag = repo.create_git_tag("v1", "One", commit.sha, "commit")
repo.create_git_ref("refs/tags/v1", tag.sha)
assert [one.name for one in repo.get_tags()] == ["v1"]
ref.delete()
done("git data")

label = repo.create_label("kind/snake", "00ff00", "It slithers")
assert repo.get_label("kind/snake").color == "00ff00"
label.edit("kind/python", "0000ff")
assert repo.get_label("kind/python").name == "kind/python"
done("labels")

milestone = repo.create_milestone("First")
milestone.edit("First of all", state="open")
assert [one.title for one in repo.get_milestones()] == ["First of all"]
done("milestones")

for title in ["one", "two", "three", "four", "five"]:
    issue = repo.create_issue(title, body="It slithers", labels=["kind/python", "bug"], milestone=milestone, assignee="ada")
issue.remove_from_labels("kind/python")
issue.add_to_labels("kind/python")
issue.lock("resolved")
issue.unlock()
issue.edit(state="closed")
assert [one.title for one in repo.get_issues(direction="asc")] == ["one", "two", "three", "four"]
assert "closed" in [one.event for one in issue.get_events()]
assert "closed" in [one.event for one in issue.get_timeline()]
done("issues")

comment = issue.create_comment("Yes")
comment.edit("No")
assert [one.body for one in repo.get_issue(5).get_comments()] == ["No"]
done("comments")

issue.create_reaction("rocket")
reaction = comment.create_reaction("+1")
comment.delete_reaction(reaction.id)
assert [one.content for one in issue.get_reactions()] == ["rocket"]
done("reactions")

hook = repo.create_hook("web", {"url": os.environ["HEARTH_HOOK"], "content_type": "json"}, ["issues"], active=True)
hook.edit("web", {"url": os.environ["HEARTH_HOOK"], "content_type": "json"}, events=["push"])
hook.ping()
if hasattr(repo, "get_hook_deliveries"):
    deliveries = eventually(
        lambda: [one for one in repo.get_hook_deliveries(hook.id) if one.event == "ping" and one.status_code == 200]
    )
    assert repo.get_hook_delivery(hook.id, deliveries[0].id).event == "ping"
hook.delete()
done("hooks")

where = f"repo:{ORG}/by-python"
code = eventually(
    lambda: (lambda found: found.totalCount == 3 and found)(
        ada.search_code(f"pythonic language:python {where}", highlight=True)
    )
)
assert sorted(one.path for one in code) == ["slither0.py", "slither1.py", "slither2.py"]
assert b"pythonic" in code[0].decoded_content
assert code[0].text_matches[0]["matches"][0]["text"] == "pythonic"
eventually(
    lambda: [
        one.commit.message for one in ada.search_commits(f"slither {where}", sort="author-date", order="asc")
    ]
    == ["Slither along"] * 3
)
eventually(lambda: [one.title for one in ada.search_issues("three", state="open", repo=f"{ORG}/by-python")] == ["three"])
assert [one.full_name for one in ada.search_repositories("snake in:description", user=ORG)] == [f"{ORG}/by-python"]
try:
    ada.search_code("x repo:acme/none").totalCount
    raise AssertionError("a repository that isn't there was searched")
except github.GithubException as error:
    assert error.status == 422 and error.data["message"] == "Validation Failed"
done("search")

key = me.create_key("own", os.environ["HEARTH_KEY"])
assert [one.title for one in me.get_keys()] == ["own"]
key.delete()
done("keys")

me.add_to_watched(repo)
assert me.has_in_watched(repo)
assert [one.login for one in repo.get_subscribers()] == ["ada"]
done("watching")

bob.get_repo(f"{ORG}/by-python").create_issue("Look", body="@ada")
thread = eventually(lambda: list(repo.get_notifications()))[0]
assert thread.reason == "mention" and thread.get_issue().title == "Look"
thread.mark_as_read()
repo.mark_notifications_as_read()
assert list(repo.get_notifications()) == []
done("notifications")

migration = org.create_migration([f"{ORG}/by-python"])
eventually(lambda: migration.get_status() == "exported")
migration.delete()
done("migrations")

theirs = bob.get_repo(f"{ORG}/by-python")
fork = bob.get_user().create_fork(theirs)
eventually(lambda: fork.get_git_ref("heads/main").object.sha)
fork.create_git_ref("refs/heads/quieter", fork.get_git_ref("heads/main").object.sha)
fork.create_file("muffler.txt", "Add a muffler", "one\ntwo\n", branch="quieter")
number = theirs.create_pull(title="A quieter snake", body="Fixes #1", base="main", head="bob:quieter").number
pull = eventually(lambda: (lambda one: one.mergeable and one)(repo.get_pull(number)))
assert (pull.commits, pull.additions, pull.changed_files, pull.head.label) == (1, 2, 1, "bob:quieter")
assert [one.filename for one in pull.get_files()] == ["muffler.txt"]
assert [one.title for one in repo.get_pulls(state="open", base="main")] == ["A quieter snake"]
repo.get_commit(pull.head.sha).create_status("failure", context="build")
assert repo.get_pull(number).mergeable_state == "unstable"
pull.create_review(body="Nearly.", event="REQUEST_CHANGES", comments=[{"path": "muffler.txt", "position": 2, "body": "Three?"}])
assert [one.state for one in pull.get_reviews()] == ["CHANGES_REQUESTED"]
assert [one.body for one in theirs.get_pull(number).get_review_comments()] == ["Three?"]
old = fork.get_contents("muffler.txt", ref="quieter")
fork.update_file("muffler.txt", "Three", "one\nthree\n", old.sha, branch="quieter")
pull = eventually(lambda: (lambda one: one.commits == 2 and one.mergeable and one)(repo.get_pull(number)))
repo.get_commit(pull.head.sha).create_status("success", context="build")
pull.create_review(event="APPROVE")
assert repo.get_pull(number).mergeable_state == "clean"
merged = pull.merge(merge_method="squash", sha=pull.head.sha)
assert merged.merged and repo.get_branch("main").commit.sha == merged.sha
assert repo.get_pull(number).is_merged() and repo.get_issue(1).state == "closed"
assert {"merged", "closed"} <= {one.event for one in repo.get_issue(number).get_events()}
done("pull requests")

with open(os.environ["HEARTH_APP_KEY"]) as file:
    app = github.GithubIntegration(int(os.environ["HEARTH_APP"]), file.read(), base_url=API)
token = app.get_access_token(int(os.environ["HEARTH_INSTALLATION"]))
issue = client(token.token).get_repo(f"{ORG}/by-python").create_issue("By the app")
assert issue.user.type == "Bot"
done("app")
