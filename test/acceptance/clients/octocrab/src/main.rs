//! Does with octocrab, as it is published, what ../../clients.test.ts says.

use std::{env, time::Duration};

use octocrab::models::activity::ThreadSubscription;
use octocrab::models::git::CreateTreeEntry;
use octocrab::models::hooks::Hook;
use octocrab::models::migrations::StartMigration;
use octocrab::models::reactions::ReactionContent;
use octocrab::models::webhook_events::WebhookEventType;
use octocrab::models::IssueState;
use octocrab::params::repos::Reference;
use octocrab::params::State;
use octocrab::Octocrab;
use serde_json::json;

type Done = Result<(), Box<dyn std::error::Error>>;

const REPO: &str = "by-rust";

fn var(name: &str) -> String {
    env::var(name).expect(name)
}

fn done(step: &str) {
    println!("{step}");
}

fn client(token: String) -> Octocrab {
    let base = Octocrab::builder().base_uri(var("HEARTH_API")).expect("an address");
    base.personal_token(token).build().expect("a client")
}

/// Asks again until the answer is there: indexes, deliveries and inboxes follow a moment later.
macro_rules! eventually {
    ($ask:expr, $is_there:expr) => {{
        let mut tries = 0;
        loop {
            let found = $ask;
            if $is_there(&found) {
                break found;
            }
            tries += 1;
            assert!(tries < 600, "it never came");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }};
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done {
    let org = var("HEARTH_ORG");
    let ada = client(var("HEARTH_TOKEN"));
    let bob = client(var("HEARTH_OTHER_TOKEN"));

    assert_eq!(ada.current().user().await?.login, "ada");
    done("sign in");

    let made = ada.orgs(&org).create_repo(REPO).description("Made by rust").send().await?;
    assert_eq!(made.full_name, Some(format!("{org}/{REPO}")));
    assert_eq!(ada.repos(&org, REPO).get().await?.description, Some("Made by rust".to_string()));
    done("repository");

    contents(&ada, &org).await?;
    git_data(&ada, &org).await?;
    issues(&ada, &org).await?;
    hooks(&ada, &org).await?;
    search(&ada, &org).await?;

    let keys = ada.users("ada");
    let keys = keys.git_ssh_keys();
    let key = keys.add("own".to_string(), var("HEARTH_KEY")).await?;
    keys.delete(key.id).await?;
    done("keys");

    notifications(&ada, &bob, &org).await?;

    let migrations = ada.migrations().org(&org);
    let begun = migrations.start(&StartMigration::new([format!("{org}/{REPO}")])).await?;
    eventually!(migrations.get(begun.id).await?, |now: &octocrab::models::migrations::Migration| {
        serde_json::to_value(now).is_ok_and(|now| now["state"] == "exported")
    });
    migrations.delete_archive(begun.id).await?;
    done("migrations");

    let key = octocrab::EncodingKey::from_rsa_pem(&std::fs::read(var("HEARTH_APP_KEY"))?)?;
    let number: u64 = var("HEARTH_APP").parse()?;
    let app = Octocrab::builder().base_uri(var("HEARTH_API"))?.app(number.into(), key).build()?;
    assert_eq!(app.current().app().await?.id.0, number);
    let bot = app.installation(var("HEARTH_INSTALLATION").parse::<u64>()?.into())?;
    assert_eq!(bot.issues(&org, REPO).create("By the app").send().await?.user.r#type, "Bot");
    done("app");
    Ok(())
}

async fn contents(ada: &Octocrab, org: &str) -> Done {
    let repo = ada.repos(org, REPO);
    let path = "docs/ab.txt";
    let file = repo.create_file(path, "One", "rusty one").send().await?;
    let sha = file.content.sha;
    repo.update_file(path, "Two", "rusty two", sha).branch("main").send().await?;
    let mut read = repo.get_content().path(path).r#ref("main").send().await?;
    let read = read.take_items().remove(0);
    assert_eq!(read.decoded_content(), Some("rusty two".to_string()));
    let commits = repo.list_commits().send().await?.items;
    assert_eq!(commits.len(), 2);
    assert_eq!(repo.list_branches().send().await?.items[0].name, "main");
    repo.delete_file(path, "Remove it", read.sha).branch("main").send().await?;
    repo.create_file("crab.rs", "A crab", "const RUSTY: u8 = 3;\n").send().await?;
    done("contents");
    Ok(())
}

async fn git_data(ada: &Octocrab, org: &str) -> Done {
    let git = ada.git(org, REPO);
    let main = git.get_ref(&Reference::Branch("main".to_string())).await?;
    let main = serde_json::to_value(main.object)?["sha"].as_str().expect("a commit").to_string();
    let head = git.get_commit(&main).await?;
    let blob = git.create_blob("raw").encoding("utf-8").send().await?;
    assert_eq!(git.get_blob(&blob.sha).await?.size, 3);
    let mut entry = CreateTreeEntry::new("deep/raw.txt", "100644", "blob");
    entry.sha = Some(blob.sha);
    let tree = git.create_tree(vec![entry]).base_tree(head.tree.sha).send().await?;
    assert_eq!(git.get_tree(&tree.sha).recursive(true).send().await?.tree.len(), 3);
    let commit = git.create_commit("By hand", tree.sha).parents(vec![main.clone()]).send().await?;
    let branch = Reference::Branch("feature/hand".to_string());
    git.create_ref(&branch, &commit.sha).await?;
    git.update_ref(&branch, main).force(true).send().await?;
    assert_eq!(git.list_matching_refs("heads/feature").await?.len(), 1);
    git.create_tag("v1", "One", commit.sha, "commit").send().await?;
    git.delete_ref(&branch).await?;
    done("git data");
    Ok(())
}

async fn issues(ada: &Octocrab, org: &str) -> Done {
    let issues = ada.issues(org, REPO);
    issues.create_label("kind/rust", "00ff00", "It rusts").await?;
    issues.update_label("kind/rust", "kind/crab", "0000ff", "It pinches").await?;
    assert_eq!(issues.get_label("kind/crab").await?.color, "0000ff");
    done("labels");

    let milestone = issues.create_milestone("First").send().await?;
    issues.update_milestone(milestone.number).title("First of all").send().await?;
    assert_eq!(issues.list_milestones().send().await?.items[0].title, "First of all");
    done("milestones");

    let labels = vec!["kind/crab".to_string(), "bug".to_string()];
    let issue = issues
        .create("It pinches")
        .body("Sideways")
        .labels(labels)
        .assignees(vec!["ada".to_string()])
        .milestone(milestone.number as u64)
        .send()
        .await?;
    let number = issue.number;
    issues.remove_label(number, "kind/crab").await?;
    assert_eq!(issues.add_labels(number, &["kind/crab".to_string()]).await?.len(), 2);
    assert!(issues.lock(number, None).await?);
    assert!(issues.unlock(number).await?);
    for title in ["two", "three"] {
        issues.create(title).send().await?;
    }
    let first = issues.list().state(State::All).per_page(1).send().await?;
    assert_eq!(ada.all_pages(first).await?.len(), 3);
    issues.update(number).state(IssueState::Closed).send().await?;
    assert!(issues.list_timeline_events(number).send().await?.items.len() > 5);
    done("issues");

    let comment = issues.create_comment(number, "Yes").await?;
    issues.update_comment(comment.id, "No").await?;
    assert_eq!(issues.list_comments(number).send().await?.items[0].body, Some("No".to_string()));
    done("comments");

    issues.create_reaction(number, ReactionContent::Rocket).await?;
    let reaction = issues.create_comment_reaction(comment.id, ReactionContent::PlusOne).await?;
    issues.delete_comment_reaction(comment.id, reaction.id).await?;
    assert_eq!(issues.list_reactions(number).send().await?.items.len(), 1);
    done("reactions");
    Ok(())
}

async fn hooks(ada: &Octocrab, org: &str) -> Done {
    let repo = ada.repos(org, REPO);
    let hooks = repo.hooks();
    let mut wanted = Hook::default();
    wanted.name = "web".to_string();
    wanted.active = true;
    wanted.events = vec![WebhookEventType::Issues];
    wanted.config = serde_json::from_value(json!({ "url": var("HEARTH_HOOK"), "content_type": "json" }))?;
    let hook = hooks.create(wanted).await?;
    hooks.ping(hook.id).await?;
    let deliveries = hooks.deliveries(hook.id);
    let delivered = eventually!(deliveries.list().send().await?.items, |found: &Vec<octocrab::models::hooks::Delivery>| {
        found.iter().any(|one| one.status_code == 200)
    });
    deliveries.get(delivered[0].id).await?;
    deliveries.redeliver(delivered[0].id).await?;
    hooks.delete(hook.id).await?;
    done("hooks");
    Ok(())
}

async fn search(ada: &Octocrab, org: &str) -> Done {
    let place = format!("repo:{org}/{REPO}");
    let one = |found: &Option<u64>| *found == Some(1);
    let search = || ada.search();
    eventually!(search().code(&format!("rusty language:rust {place}")).send().await?.total_count, one);
    eventually!(search().issues_and_pull_requests(&format!("pinches is:issue {place}")).send().await?.total_count, one);
    eventually!(search().commits(&format!("crab {place}")).send().await?.total_count, one);
    eventually!(search().repositories(&format!("rust in:description org:{org}")).send().await?.total_count, one);
    done("search");
    Ok(())
}

async fn notifications(ada: &Octocrab, bob: &Octocrab, org: &str) -> Done {
    let activity = ada.activity();
    let watching = activity.watching();
    watching.set_repository_subscription(org, REPO).subscribed(true).send().await?;
    assert_eq!(watching.list_watchers(org, REPO).send().await?.items[0].login, "ada");
    done("watching");

    bob.issues(org, REPO).create("Look").body("@ada").send().await?;
    let notifications = activity.notifications();
    let threads = eventually!(
        notifications.list_for_repo(org, REPO).send().await?.items,
        |found: &Vec<octocrab::models::activity::Notification>| found.len() == 1
    );
    assert_eq!(threads[0].reason, "mention");
    let _: ThreadSubscription = notifications.set_thread_subscription(threads[0].id.0.into(), true).await?;
    notifications.mark_as_read(threads[0].id).await?;
    notifications.mark_repo_as_read(org, REPO, None).await?;
    notifications.mark_as_done(threads[0].id).await?;
    done("notifications");
    Ok(())
}
