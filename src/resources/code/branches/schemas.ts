import { type Static, Type } from 'typebox';
import { Nullable, OneOf } from '#lib/shape.ts';
import { Commit, ObjectLink } from '#resources/code/commits/index.ts';

/**
 * The protection of a branch, visible to everybody who may read the branch. As in the public API, it is complete even if the
 * branch is unprotected.
 */
export const BranchProtection = Type.Object({
  enabled: Type.Boolean(),
  required_status_checks: Type.Object({
    enforcement_level: OneOf(['off', 'non_admins', 'everyone']),
    contexts: Type.Array(Type.String()),
    checks: Type.Array(Type.Object({ context: Type.String(), app_id: Nullable(Type.Integer()) })),
  }),
});
export type BranchProtection = Static<typeof BranchProtection>;

export const ShortBranch = Type.Object({
  name: Type.String(),
  commit: ObjectLink,
  protected: Type.Boolean(),
  protection: BranchProtection,
  protection_url: Type.String(),
});
export type ShortBranch = Static<typeof ShortBranch>;

/** A branch whose latest commit is the requested one. */
export const BranchShort = Type.Object({ name: Type.String(), commit: ObjectLink, protected: Type.Boolean() });

export const Branch = Type.Object({
  ...ShortBranch.properties,
  commit: Commit,
  _links: Type.Object({ self: Type.String(), html: Type.String() }),
});
export type Branch = Static<typeof Branch>;

const name = Type.String({ minLength: 1, maxLength: 1024 });

export const NewBranchName = Type.Object({ new_name: name }, { title: 'Branch' });

export const NewMerge = Type.Object(
  { base: name, head: name, commit_message: Type.Optional(Type.String({ maxLength: 1_000_000 })) },
  { title: 'Merge' },
);
export type NewMerge = Static<typeof NewMerge>;

export const Upstream = Type.Object({ branch: name }, { title: 'Merge' });

export const MergedUpstream = Type.Object({
  message: Type.String(),
  merge_type: OneOf(['merge', 'fast-forward', 'none']),
  base_branch: Type.String(),
});
export type MergedUpstream = Static<typeof MergedUpstream>;
