// The parts of a protection that are on or off and have their own addresses.
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { protection } from '../path-resources.ts';
import { administers, readsProtection } from '../policies.ts';
import { presentSwitch, type Switch } from '../present.ts';
import { changeProtection } from '../rules.ts';
import { ProtectionSwitch } from '../schemas.ts';

type Named = { readonly id: string; readonly summary: string };

const switchEndpoints = (name: Switch, named: { readonly get: Named; readonly on: Named; readonly off: Named }) => {
  const part = { path: `/repos/{owner}/{repo}/branches/{branch}/protection/${name}`, resources: [protection] } as const;
  return {
    get: endpoint({
      ...part,
      ...named.get,
      method: 'GET',
      access: readsProtection,
      replies: { 200: ProtectionSwitch },
      async handle({ scope, at }) {
        return presentSwitch(scope, at.repo, at.protection, name);
      },
    }),
    on: endpoint({
      ...part,
      ...named.on,
      method: 'POST',
      access: administers,
      replies: { 200: ProtectionSwitch },
      async handle({ scope, change, at, action }) {
        const row = await change((scope, { protection }) =>
          changeProtection(scope, action, protection, { settings: { [name]: true } }),
        );
        return presentSwitch(scope, at.repo, row, name);
      },
    }),
    off: endpoint({
      ...part,
      ...named.off,
      method: 'DELETE',
      access: administers,
      replies: { 204: Nothing },
      async handle({ change, action }) {
        await change((scope, { protection }) => changeProtection(scope, action, protection, { settings: { [name]: false } }));
      },
    }),
  };
};

export const {
  get: getAdminBranchProtection,
  on: setAdminBranchProtection,
  off: deleteAdminBranchProtection,
} = switchEndpoints('enforce_admins', {
  get: { id: 'repos/get-admin-branch-protection', summary: 'Get admin branch protection' },
  on: { id: 'repos/set-admin-branch-protection', summary: 'Set admin branch protection' },
  off: { id: 'repos/delete-admin-branch-protection', summary: 'Delete admin branch protection' },
});

export const {
  get: getCommitSignatureProtection,
  on: createCommitSignatureProtection,
  off: deleteCommitSignatureProtection,
} = switchEndpoints('required_signatures', {
  get: { id: 'repos/get-commit-signature-protection', summary: 'Get commit signature protection' },
  on: { id: 'repos/create-commit-signature-protection', summary: 'Create commit signature protection' },
  off: { id: 'repos/delete-commit-signature-protection', summary: 'Delete commit signature protection' },
});
