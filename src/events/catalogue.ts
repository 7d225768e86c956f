import type { Selectable } from 'kysely';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Snapshot } from '#lib/snapshot.ts';

/** One ref that a push moved. `before` is null for a new ref, `after` for a deleted one. */
export type RefMove = { ref: string; before: string | null; after: string | null; forced: boolean };

/** The row of something deleted, kept in the event since subscribers can't read it any more. */
type Was<Table extends keyof DB> = Snapshot<Selectable<DB[Table]>>;

/**
 * Every kind of event that Hearth records, with its data beside owner, repository, actor and time. Webhooks, search indexes and
 * other subscribers learn from these events what has happened.
 */
export type EventData = {
  'public_key.created': { key: Id<'public_keys'> };
  'public_key.deleted': { key: Id<'public_keys'> };
  'user.created': Record<string, never>;
  'user.impersonated': Record<string, never>;
  'user.suspended': Record<string, never>;
  'user.unsuspended': Record<string, never>;
  'organization.created': Record<string, never>;
  'organization.updated': { login?: string };
  'organization.deleted': { login: string };
  'member.invited': { user: Id<'accounts'>; role: string };
  'member.added': { user: Id<'accounts'>; role: string };
  'member.changed': { user: Id<'accounts'>; role: string };
  'member.removed': { user: Id<'accounts'>; role?: string };
  'member.invitation_canceled': { user: Id<'accounts'> };
  'member.publicized': { user: Id<'accounts'> };
  'member.concealed': { user: Id<'accounts'> };
  'organization_role.assigned': RoleData;
  'organization_role.revoked': RoleData;
  'team.created': { team: Id<'teams'> };
  'team.edited': {
    team: Id<'teams'>;
    from?: { name?: string; description?: string | null; privacy?: string; notification_setting?: string };
  };
  'team.deleted': { team: Id<'teams'>; name: string; was?: Was<'teams'> };
  'team.member_added': { team: Id<'teams'>; user: Id<'accounts'>; role: string };
  'team.member_changed': { team: Id<'teams'>; user: Id<'accounts'>; role: string };
  'team.member_removed': { team: Id<'teams'>; user: Id<'accounts'> };
  'team.repository_added': { team: Id<'teams'>; role: string };
  'team.repository_changed': { team: Id<'teams'>; role: string };
  'team.repository_removed': { team: Id<'teams'> };
  'repository.created': Record<string, never>;
  'repository.updated': {
    changes: string[];
    from?: { description?: string | null; homepage?: string | null; topics?: string[] };
  };
  'repository.renamed': { from: string };
  'repository.transferred': { from: Id<'accounts'> };
  'repository.privatized': Record<string, never>;
  'repository.publicized': Record<string, never>;
  'repository.archived': Record<string, never>;
  'repository.unarchived': Record<string, never>;
  'repository.default_branch_changed': { from: string; to: string };
  'repository.deleted': { name: string; was?: Was<'repositories'> };
  'repository.forked': { fork: Id<'repositories'> };
  'collaborator.added': { user: Id<'accounts'>; role: string };
  'collaborator.changed': { user: Id<'accounts'>; role: string; from?: string };
  'collaborator.removed': { user: Id<'accounts'> };
  'collaborator.invited': { user: Id<'accounts'>; role: string };
  'collaborator.invitation_changed': { user: Id<'accounts'>; role: string };
  'collaborator.invitation_canceled': { user: Id<'accounts'> };
  'collaborator.invitation_declined': { user: Id<'accounts'> };
  'private_registry.created': { registry: Id<'private_registries'> };
  'private_registry.changed': { registry: Id<'private_registries'> };
  'private_registry.deleted': { name: string };
  'private_registry.key_rotated': { key: Id<'registry_keys'> };
  push: { moves: RefMove[] };
  create: { ref: string; oid: string };
  delete: { ref: string; oid: string };
  'issue.opened': IssueData;
  'issue.edited': IssueData & { changes: { title?: { from: string }; body?: { from: string | null } } };
  'issue.closed': IssueData;
  'issue.reopened': IssueData;
  'issue.locked': IssueData;
  'issue.unlocked': IssueData;
  'issue.labeled': IssueData & { label: Id<'labels'> };
  'issue.unlabeled': IssueData & { label: Id<'labels'> };
  'issue.assigned': IssueData & { user: Id<'accounts'> };
  'issue.unassigned': IssueData & { user: Id<'accounts'> };
  'issue.milestoned': IssueData & { milestone: Id<'milestones'> };
  'issue.demilestoned': IssueData & { milestone: Id<'milestones'> };
  'issue.field_added': IssueData & { field: Id<'issue_fields'> };
  'issue.field_changed': IssueData & { field: Id<'issue_fields'> };
  'issue.field_removed': IssueData & { field: Id<'issue_fields'> };
  'issue_comment.created': IssueData & { comment: Id<'issue_comments'> };
  'issue_comment.edited': IssueData & { comment: Id<'issue_comments'>; changes: { body: { from: string } } };
  'issue_comment.deleted': IssueData & { comment: Id<'issue_comments'>; was?: Was<'issue_comments'> };
  'reaction.created': IssueData & { comment?: Id<'issue_comments'>; content: string };
  'reaction.deleted': IssueData & { comment?: Id<'issue_comments'>; content: string };
  'issue_field.created': { field: Id<'issue_fields'> };
  /** `options`: the names of the options that were there before. */
  'issue_field.edited': {
    field: Id<'issue_fields'>;
    from: { name?: string; description?: string | null; visibility?: string; options?: string[] };
  };
  'issue_field.deleted': { name: string; was: Was<'issue_fields'> };
  'label.created': { label: Id<'labels'> };
  'label.edited': { label: Id<'labels'>; from?: { name?: string; color?: string; description?: string | null } };
  'label.deleted': { name: string; was?: Was<'labels'> };
  'milestone.created': { milestone: Id<'milestones'> };
  'milestone.edited': {
    milestone: Id<'milestones'>;
    from?: { title?: string; description?: string | null; due_on?: string | null };
  };
  'milestone.closed': { milestone: Id<'milestones'> };
  'milestone.opened': { milestone: Id<'milestones'> };
  'milestone.deleted': { title: string; was?: Was<'milestones'> & { open_issues: number; closed_issues: number } };
  'hook.created': { hook: Id<'webhooks'> };
  'hook.updated': { hook: Id<'webhooks'> };
  'hook.deleted': { hook: Id<'webhooks'> };
  'hosted_runner.created': { runner: Id<'hosted_runners'> };
  'hosted_runner.updated': { runner: Id<'hosted_runners'> };
  'hosted_runner.deleted': { runner: Id<'hosted_runners'>; name: string };
  'custom_image.published': { image: Id<'custom_images'>; version: string; runner: Id<'hosted_runners'> };
  'custom_image.deleted': { image: Id<'custom_images'>; name: string };
  'custom_image_version.deleted': { image: Id<'custom_images'>; version: string };
  'app.created': { app: Id<'apps'> };
  'installation.created': { installation: Id<'installations'> };
  'installation.suspended': { installation: Id<'installations'> };
  'installation.unsuspended': { installation: Id<'installations'> };
  'installation.deleted': {
    installation: Id<'installations'>;
    was?: Was<'installations'> & { app_slug: string; client_id: string };
  };
};

type RoleData = { role: Id<'organization_roles'>; user?: Id<'accounts'>; team?: Id<'teams'> };

type IssueData = { issue: Id<'issues'> };

export type EventKind = keyof EventData;
