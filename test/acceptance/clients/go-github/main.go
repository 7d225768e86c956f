// Does with go-github and ghinstallation, as they are published, what ../../clients.test.ts says.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v88/github"
)

var (
	ctx   = context.Background()
	api   = os.Getenv("HEARTH_API")
	owner = os.Getenv("HEARTH_ORG")
)

const repo = "by-go"

func client(options ...github.ClientOptionsFunc) *github.Client {
	return must(github.NewClient(append(options, github.WithEnterpriseURLs(api, api))...))
}

func main() {
	ada := client(github.WithAuthToken(os.Getenv("HEARTH_TOKEN")))
	bob := client(github.WithAuthToken(os.Getenv("HEARTH_OTHER_TOKEN")))

	user, _, err := ada.Users.Get(ctx, "")
	check(err)
	same(user.GetLogin(), "ada")
	done("sign in")

	made, _, err := ada.Repositories.Create(ctx, owner,
		&github.Repository{Name: github.Ptr(repo), Description: github.Ptr("Made by go")})
	check(err)
	same(made.GetFullName(), owner+"/"+repo)
	edited, _, err := ada.Repositories.Edit(ctx, owner, repo, &github.Repository{Homepage: github.Ptr("https://go.example")})
	check(err)
	same(edited.GetHomepage(), "https://go.example")
	done("repository")

	contents(ada)
	gitData(ada)
	issues(ada)
	hooks(ada)
	search(ada)
	keys(ada)
	notifications(ada, bob)
	migrations(ada)
	app()
}

func contents(c *github.Client) {
	file := func(text, sha string) *github.RepositoryContentFileOptions {
		options := &github.RepositoryContentFileOptions{Message: github.Ptr("Write " + text), Content: []byte(text)}
		if sha != "" {
			options.SHA = github.Ptr(sha)
		}
		return options
	}
	wrote, _, err := c.Repositories.CreateFile(ctx, owner, repo, "docs/a b.txt", file("gopherish one", ""))
	check(err)
	_, _, err = c.Repositories.UpdateFile(ctx, owner, repo, "docs/a b.txt", file("gopherish two", wrote.Content.GetSHA()))
	check(err)
	got, _, _, err := c.Repositories.GetContents(ctx, owner, repo, "docs/a b.txt", nil)
	check(err)
	same(must(got.GetContent()), "gopherish two")
	_, entries, _, err := c.Repositories.GetContents(ctx, owner, repo, "docs", nil)
	check(err)
	same(len(entries), 1)
	commits, _, err := c.Repositories.ListCommits(ctx, owner, repo, nil)
	check(err)
	same(len(commits), 2)
	diff, _, err := c.Repositories.GetCommitRaw(ctx, owner, repo, commits[0].GetSHA(), github.RawOptions{Type: github.Diff})
	check(err)
	same(len(diff) > 0, true)
	compared, _, err := c.Repositories.CompareCommits(ctx, owner, repo, commits[1].GetSHA(), commits[0].GetSHA(), nil)
	check(err)
	same(compared.GetAheadBy(), 1)
	branches, _, err := c.Repositories.ListBranches(ctx, owner, repo, nil)
	check(err)
	same(branches[0].GetName(), "main")
	_, _, err = c.Repositories.DeleteFile(ctx, owner, repo, "docs/a b.txt", file("nothing", got.GetSHA()))
	check(err)
	_, _, err = c.Repositories.CreateFile(ctx, owner, repo, "gopher.go", file("package gopherish", ""))
	check(err)
	done("contents")
}

func gitData(c *github.Client) {
	ref, _, err := c.Git.GetRef(ctx, owner, repo, "refs/heads/main")
	check(err)
	head, _, err := c.Git.GetCommit(ctx, owner, repo, ref.Object.GetSHA())
	check(err)
	blob, _, err := c.Git.CreateBlob(ctx, owner, repo, github.Blob{Content: github.Ptr("raw"), Encoding: github.Ptr("utf-8")})
	check(err)
	raw, _, err := c.Git.GetBlobRaw(ctx, owner, repo, blob.GetSHA())
	check(err)
	same(string(raw), "raw")
	entry := &github.TreeEntry{Path: github.Ptr("deep/raw.txt"), Mode: github.Ptr("100644"), Type: github.Ptr("blob"), SHA: blob.SHA}
	tree, _, err := c.Git.CreateTree(ctx, owner, repo, head.Tree.GetSHA(), []*github.TreeEntry{entry})
	check(err)
	all, _, err := c.Git.GetTree(ctx, owner, repo, tree.GetSHA(), true)
	check(err)
	same(len(all.Entries), 3)
	commit, _, err := c.Git.CreateCommit(ctx, owner, repo, github.Commit{
		Message: github.Ptr("By hand"), Tree: tree, Parents: []*github.Commit{head},
	}, nil)
	check(err)
	_, _, err = c.Git.CreateRef(ctx, owner, repo, github.CreateRef{Ref: "refs/heads/feature/hand", SHA: commit.GetSHA()})
	check(err)
	moved, _, err := c.Git.UpdateRef(ctx, owner, repo, "heads/feature/hand",
		github.UpdateRef{SHA: head.GetSHA(), Force: github.Ptr(true)})
	check(err)
	same(moved.Object.GetSHA(), head.GetSHA())
	matching, _, err := c.Git.ListMatchingRefs(ctx, owner, repo, "heads/feature")
	check(err)
	same(len(matching), 1)
	tag, _, err := c.Git.CreateTag(ctx, owner, repo, github.CreateTag{
		Tag: "v1", Message: "One", Object: commit.GetSHA(), Type: "commit",
	})
	check(err)
	same(must2(c.Git.GetTag(ctx, owner, repo, tag.GetSHA())).GetTag(), "v1")
	_, err = c.Git.DeleteRef(ctx, owner, repo, "heads/feature/hand")
	check(err)
	done("git data")
}

func issues(c *github.Client) {
	label, _, err := c.Issues.CreateLabel(ctx, owner, repo,
		&github.Label{Name: github.Ptr("kind/gopher"), Color: github.Ptr("00ff00")})
	check(err)
	same(must2(c.Issues.GetLabel(ctx, owner, repo, label.GetName())).GetColor(), "00ff00")
	_, _, err = c.Issues.EditLabel(ctx, owner, repo, "kind/gopher", &github.Label{Name: github.Ptr("kind/mole")})
	check(err)
	same(must2(c.Issues.GetLabel(ctx, owner, repo, "kind/mole")).GetName(), "kind/mole")
	done("labels")

	milestone, _, err := c.Issues.CreateMilestone(ctx, owner, repo, &github.Milestone{Title: github.Ptr("First")})
	check(err)
	_, _, err = c.Issues.EditMilestone(ctx, owner, repo, milestone.GetNumber(),
		&github.Milestone{DueOn: &github.Timestamp{Time: time.Now()}})
	check(err)
	done("milestones")

	issue, _, err := c.Issues.Create(ctx, owner, repo, &github.IssueRequest{
		Title: github.Ptr("It digs"), Body: github.Ptr("Deep"), Labels: &[]string{"kind/mole", "bug"},
		Assignees: &[]string{"ada"}, Milestone: milestone.Number,
	})
	check(err)
	number := issue.GetNumber()
	_, err = c.Issues.RemoveLabelForIssue(ctx, owner, repo, number, "kind/mole")
	check(err)
	labels, _, err := c.Issues.AddLabelsToIssue(ctx, owner, repo, number, []string{"kind/mole"})
	check(err)
	same(len(labels), 2)
	_, err = c.Issues.Lock(ctx, owner, repo, number, nil)
	check(err)
	_, err = c.Issues.Unlock(ctx, owner, repo, number)
	check(err)
	for at := range 3 {
		_, _, err = c.Issues.Create(ctx, owner, repo, &github.IssueRequest{Title: github.Ptr(fmt.Sprint("More ", at))})
		check(err)
	}
	count := 0
	onePerPage := &github.IssueListByRepoOptions{ListOptions: github.ListOptions{PerPage: 1}}
	for _, err := range c.Issues.ListByRepoIter(ctx, owner, repo, onePerPage) {
		check(err)
		count++
	}
	same(count, 4)
	closed, _, err := c.Issues.Edit(ctx, owner, repo, number,
		&github.IssueRequest{State: github.Ptr("closed"), StateReason: github.Ptr("not_planned")})
	check(err)
	same(closed.GetStateReason(), "not_planned")
	_, _, err = c.Issues.RemoveMilestone(ctx, owner, repo, number)
	check(err)
	events, _, err := c.Issues.ListIssueEvents(ctx, owner, repo, number, nil)
	check(err)
	timeline, _, err := c.Issues.ListIssueTimeline(ctx, owner, repo, number, nil)
	check(err)
	same(len(events) > 5 && len(timeline) > 5, true)
	done("issues")

	comment, _, err := c.Issues.CreateComment(ctx, owner, repo, number, &github.IssueComment{Body: github.Ptr("Yes")})
	check(err)
	_, _, err = c.Issues.EditComment(ctx, owner, repo, comment.GetID(), &github.IssueComment{Body: github.Ptr("No")})
	check(err)
	comments, _, err := c.Issues.ListComments(ctx, owner, repo, number, nil)
	check(err)
	same(comments[0].GetBody(), "No")
	done("comments")

	_, _, err = c.Reactions.CreateIssueReaction(ctx, owner, repo, number, "rocket")
	check(err)
	reaction, _, err := c.Reactions.CreateIssueCommentReaction(ctx, owner, repo, comment.GetID(), "+1")
	check(err)
	_, err = c.Reactions.DeleteIssueCommentReaction(ctx, owner, repo, comment.GetID(), reaction.GetID())
	check(err)
	reactions, _, err := c.Reactions.ListIssueReactions(ctx, owner, repo, number, nil)
	check(err)
	same(reactions[0].GetContent(), "rocket")
	done("reactions")
}

func hooks(c *github.Client) {
	hook, _, err := c.Repositories.CreateHook(ctx, owner, repo, &github.Hook{
		Config: &github.HookConfig{URL: github.Ptr(os.Getenv("HEARTH_HOOK")), ContentType: github.Ptr("json"), Secret: github.Ptr("s")},
		Events: []string{"issues"}, Active: github.Ptr(true),
	})
	check(err)
	_, err = c.Repositories.PingHook(ctx, owner, repo, hook.GetID())
	check(err)
	delivered := eventually(func() (*github.HookDelivery, bool) {
		found, _, err := c.Repositories.ListHookDeliveries(ctx, owner, repo, hook.GetID(), nil)
		check(err)
		for _, one := range found {
			if one.GetEvent() == "ping" && one.GetStatusCode() == http.StatusOK {
				return one, true
			}
		}
		return nil, false
	})
	one, _, err := c.Repositories.GetHookDelivery(ctx, owner, repo, hook.GetID(), delivered.GetID())
	check(err)
	payload, err := one.ParseRequestPayload()
	check(err)
	same(payload.(*github.PingEvent).GetHookID(), hook.GetID())
	_, _, err = c.Repositories.RedeliverHookDelivery(ctx, owner, repo, hook.GetID(), one.GetID())
	if _, isAccepted := err.(*github.AcceptedError); !isAccepted {
		check(err)
	}
	_, _, err = c.Repositories.EditHook(ctx, owner, repo, hook.GetID(), &github.Hook{Events: []string{"push"}})
	check(err)
	_, err = c.Repositories.DeleteHook(ctx, owner, repo, hook.GetID())
	check(err)
	done("hooks")
}

func search(c *github.Client) {
	where := " repo:" + owner + "/" + repo
	eventually(func() (int, bool) {
		found, _, err := c.Search.Code(ctx, "gopherish language:go"+where, &github.SearchOptions{TextMatch: true})
		check(err)
		return 0, found.GetTotal() == 1 && len(found.CodeResults[0].TextMatches) == 1
	})
	eventually(func() (int, bool) {
		found, _, err := c.Search.Issues(ctx, "digs is:issue"+where, nil)
		check(err)
		return 0, found.GetTotal() == 1
	})
	eventually(func() (int, bool) {
		found, _, err := c.Search.Repositories(ctx, repo+" org:"+owner, nil)
		check(err)
		return 0, found.GetTotal() == 1
	})
	eventually(func() (int, bool) {
		found, _, err := c.Search.Commits(ctx, "gopherish"+where, nil)
		check(err)
		return 0, found.GetTotal() >= 2
	})
	done("search")
}

func keys(c *github.Client) {
	own, _, err := c.Users.CreateKey(ctx, &github.Key{Title: github.Ptr("own"), Key: github.Ptr(os.Getenv("HEARTH_KEY"))})
	check(err)
	listed, _, err := c.Users.ListKeys(ctx, "", nil)
	check(err)
	same(len(listed), 1)
	_, err = c.Users.DeleteKey(ctx, own.GetID())
	check(err)
	done("keys")
}

func notifications(ada, bob *github.Client) {
	set, _, err := ada.Activity.SetRepositorySubscription(ctx, owner, repo, &github.Subscription{Subscribed: github.Ptr(true)})
	check(err)
	same(set.GetSubscribed(), true)
	_, _, err = ada.Activity.ListWatchers(ctx, owner, repo, nil)
	check(err)
	done("watching")

	_, _, err = bob.Issues.Create(ctx, owner, repo, &github.IssueRequest{Title: github.Ptr("Look"), Body: github.Ptr("@ada")})
	check(err)
	threads := eventually(func() ([]*github.Notification, bool) {
		found, _, err := ada.Activity.ListRepositoryNotifications(ctx, owner, repo, nil)
		check(err)
		return found, len(found) == 1
	})
	same(threads[0].GetReason(), "mention")
	_, _, err = ada.Activity.SetThreadSubscription(ctx, threads[0].GetID(), &github.Subscription{Ignored: github.Ptr(true)})
	check(err)
	_, err = ada.Activity.MarkThreadRead(ctx, threads[0].GetID())
	check(err)
	_, err = ada.Activity.MarkRepositoryNotificationsRead(ctx, owner, repo, github.Timestamp{Time: time.Now()})
	check(err)
	_, err = ada.Activity.MarkThreadDone(ctx, threads[0].GetID())
	check(err)
	done("notifications")
}

func migrations(c *github.Client) {
	begun, _, err := c.Migrations.StartMigration(ctx, owner, []string{owner + "/" + repo}, nil)
	check(err)
	eventually(func() (int, bool) {
		now, _, err := c.Migrations.MigrationStatus(ctx, owner, begun.GetID())
		check(err)
		return 0, now.GetState() == "exported"
	})
	same(must(c.Migrations.MigrationArchiveURL(ctx, owner, begun.GetID())) != "", true)
	_, err = c.Migrations.DeleteMigration(ctx, owner, begun.GetID())
	check(err)
	done("migrations")
}

func app() {
	number := func(name string) int64 { return must(strconv.ParseInt(os.Getenv(name), 10, 64)) }
	transport := must(ghinstallation.NewKeyFromFile(
		http.DefaultTransport, number("HEARTH_APP"), number("HEARTH_INSTALLATION"), os.Getenv("HEARTH_APP_KEY"),
	))
	transport.BaseURL = api
	bot := client(github.WithTransport(transport))
	issue, _, err := bot.Issues.Create(ctx, owner, repo, &github.IssueRequest{Title: github.Ptr("By the app")})
	check(err)
	same(issue.User.GetType(), "Bot")
	repos, _, err := bot.Apps.ListRepos(ctx, nil)
	check(err)
	same(repos.GetTotalCount() > 0, true)
	asApp := must(ghinstallation.NewAppsTransportKeyFromFile(
		http.DefaultTransport, number("HEARTH_APP"), os.Getenv("HEARTH_APP_KEY")))
	asApp.BaseURL = api
	about, _, err := client(github.WithTransport(asApp)).Apps.Get(ctx, "")
	check(err)
	same(about.GetID(), number("HEARTH_APP"))
	done("app")
}

// Asks again until the answer is there: indexes, deliveries and inboxes follow a moment later.
func eventually[T any](ask func() (T, bool)) T {
	for range 600 {
		if found, isThere := ask(); isThere {
			return found
		}
		time.Sleep(50 * time.Millisecond)
	}
	panic("it never came")
}

func done(step string) { fmt.Println(step) }

func check(err error) {
	if err != nil {
		_, _, line, _ := runtime.Caller(1)
		fmt.Fprintf(os.Stderr, "main.go:%d: %v\n", line, err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func must2[T any](value T, _ *github.Response, err error) T {
	check(err)
	return value
}

func same(got, wanted any) {
	if !reflect.DeepEqual(got, wanted) {
		_, _, line, _ := runtime.Caller(1)
		fmt.Fprintf(os.Stderr, "main.go:%d: %v instead of %v\n", line, got, wanted)
		os.Exit(1)
	}
}
