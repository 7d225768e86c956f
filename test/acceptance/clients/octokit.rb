# Does with octokit.rb, as it is published, what ../clients.test.ts says.
require 'base64'
require 'jwt'
require 'octokit'
require 'openssl'

ORG = ENV.fetch('HEARTH_ORG')
REPO = "#{ORG}/by-ruby".freeze

$stdout.sync = true

def client(**auth)
  Octokit::Client.new(api_endpoint: "#{ENV.fetch('HEARTH_API')}/", **auth)
end

def done(step)
  puts step
end

def check(holds)
  raise 'it does not hold' unless holds
end

# Asks again until the answer is there: indexes, deliveries and inboxes follow a moment later.
def eventually
  600.times do
    found = yield
    return found if found

    sleep 0.05
  end
  raise 'it never came'
end

ada = client(access_token: ENV.fetch('HEARTH_TOKEN'))
bob = client(access_token: ENV.fetch('HEARTH_OTHER_TOKEN'))
check ada.user.login == 'ada'
done 'sign in'

ada.create_repository('by-ruby', organization: ORG, description: 'Made of ruby')
ada.edit_repository(REPO, homepage: 'https://ruby.example')
check ada.repository(REPO).homepage == 'https://ruby.example'
check ada.organization_repositories(ORG).map(&:name).include?('by-ruby')
done 'repository'

path = 'docs/ab.txt'
file = ada.create_contents(REPO, path, 'One', "gleaming one\n")
ada.update_contents(REPO, path, 'Two', file.content.sha, "gleaming two\n")
read = ada.contents(REPO, path: path)
check Base64.decode64(read.content) == "gleaming two\n"
commits = ada.commits(REPO)
check commits.map { |one| one.commit.message } == %w[Two One]
check ada.compare(REPO, commits[1].sha, commits[0].sha).ahead_by == 1
check ada.commit(REPO, commits[0].sha).files.map(&:filename) == [path]
ada.delete_contents(REPO, path, 'Remove it', read.sha)
ada.create_contents(REPO, 'gem.rb', 'A gem', "gleaming = 3\n")
check ada.branches(REPO).map(&:name) == ['main']
done 'contents'

head = ada.ref(REPO, 'heads/main').object.sha
base = ada.git_commit(REPO, head)
blob = ada.create_blob(REPO, 'raw')
check ada.blob(REPO, blob).size == 3
tree = ada.create_tree(REPO, [{ path: 'deep/raw.txt', mode: '100644', type: 'blob', sha: blob }], base_tree: base.tree.sha)
check ada.tree(REPO, tree.sha, recursive: true).tree.map(&:path).include?('deep/raw.txt')
commit = ada.create_commit(REPO, 'By hand', tree.sha, head)
ada.create_ref(REPO, 'heads/feature/hand', commit.sha)
check ada.update_ref(REPO, 'heads/feature/hand', head, true).object.sha == head
ada.create_tag(REPO, 'v1', 'One', commit.sha, 'commit', 'Ada', 'ada@example.com', '2026-01-01T00:00:00Z')
ada.delete_ref(REPO, 'heads/feature/hand')
done 'git data'

ada.add_label(REPO, 'kind/ruby', '00ff00')
ada.update_label(REPO, 'kind/ruby', name: 'kind/gem', color: '0000ff')
check ada.label(REPO, 'kind/gem').color == '0000ff'
done 'labels'

milestone = ada.create_milestone(REPO, 'First')
ada.update_milestone(REPO, milestone.number, title: 'First of all')
check ada.milestones(REPO).map(&:title) == ['First of all']
done 'milestones'

issue = ada.create_issue(REPO, 'It gleams', 'Red', labels: 'kind/gem,bug', milestone: milestone.number, assignee: 'ada')
ada.remove_label(REPO, issue.number, 'kind/gem')
check ada.add_labels_to_an_issue(REPO, issue.number, ['kind/gem']).length == 2
ada.lock_issue(REPO, issue.number)
ada.unlock_issue(REPO, issue.number)
%w[two three].each { |title| ada.create_issue(REPO, title) }
ada.auto_paginate = true
check ada.issues(REPO, per_page: 1).length == 3
ada.auto_paginate = false
ada.close_issue(REPO, issue.number)
check ada.issue_events(REPO, issue.number).map(&:event).include?('closed')
check ada.issue_timeline(REPO, issue.number).map(&:event).include?('closed')
done 'issues'

comment = ada.add_comment(REPO, issue.number, 'Yes')
ada.update_comment(REPO, comment.id, 'No')
check ada.issue_comments(REPO, issue.number).map(&:body) == ['No']
done 'comments'

ada.create_issue_reaction(REPO, issue.number, 'rocket')
ada.create_issue_comment_reaction(REPO, comment.id, '+1')
check ada.issue_reactions(REPO, issue.number).map(&:content) == ['rocket']
done 'reactions'

config = { url: ENV.fetch('HEARTH_HOOK'), content_type: 'json' }
hook = ada.create_hook(REPO, 'web', config, events: ['issues'], active: true)
ada.ping_hook(REPO, hook.id)
# This client has no method for deliveries, and asks for the address.
deliveries = "repos/#{REPO}/hooks/#{hook.id}/deliveries"
delivered = eventually { ada.get(deliveries).find { |one| one.event == 'ping' && one.status_code == 200 } }
check ada.get("#{deliveries}/#{delivered.id}").event == 'ping'
ada.edit_hook(REPO, hook.id, 'web', config, events: ['push'])
ada.remove_hook(REPO, hook.id)
done 'hooks'

place = "repo:#{REPO}"
eventually { ada.search_code("gleaming language:ruby #{place}").total_count == 1 }
eventually { ada.search_issues("gleams is:issue #{place}").total_count == 1 }
eventually { ada.search_commits("gem #{place}").total_count == 1 }
eventually { ada.search_repositories("ruby in:description org:#{ORG}").total_count == 1 }
done 'search'

key = ada.add_key('own', ENV.fetch('HEARTH_KEY'))
check ada.keys.map(&:title) == ['own']
ada.remove_key(key.id)
done 'keys'

check ada.update_subscription(REPO, subscribed: true).subscribed
check ada.subscribers(REPO).map(&:login) == ['ada']
done 'watching'

bob.create_issue(REPO, 'Look', '@ada')
thread = eventually { ada.repository_notifications(REPO).first }
check thread.reason == 'mention'
ada.update_thread_subscription(thread.id, ignored: true)
ada.mark_thread_as_read(thread.id)
ada.mark_repository_notifications_as_read(REPO)
done 'notifications'

migration = ada.start_migration(ORG, [REPO])
eventually { ada.migration_status(ORG, migration.id).state == 'exported' }
check ada.migration_archive_url(ORG, migration.id)
ada.delete_migration_archive(ORG, migration.id)
done 'migrations'

key = OpenSSL::PKey::RSA.new(File.read(ENV.fetch('HEARTH_APP_KEY')))
now = Time.now.to_i
app = client(bearer_token: JWT.encode({ iat: now - 60, exp: now + 300, iss: ENV.fetch('HEARTH_APP') }, key, 'RS256'))
check app.app.id == ENV.fetch('HEARTH_APP').to_i
token = app.create_app_installation_access_token(ENV.fetch('HEARTH_INSTALLATION')).token
bot = client(access_token: token)
check bot.create_issue(REPO, 'By the app').user.type == 'Bot'
check bot.list_app_installation_repositories.total_count.positive?
done 'app'
