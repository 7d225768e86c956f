import type { Account } from '#access/viewer.ts';
import { ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import type { World } from '#test/support/world.ts';

/** A workflow of one job, which people start. */
export const dispatched = `on: workflow_dispatch
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make
`;

/** An organization with a repository whose workflow people start, and with the addresses of its budgets. */
export async function billedSetting(w: World) {
  const owner = await w.user();
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner, visibility: 'private' });
  await pushWorkflow(w, repo, { [ciPath]: dispatched });
  const base = `/organizations/${org.login}/settings/billing`;
  const client = await w.as(owner);
  /** A member who may start workflows. */
  const member = async () => {
    const user = await w.user();
    await w.member(org, user);
    await w.collaborator(repo, user, 'write');
    return user;
  };
  const runs = `/repos/${org.login}/${repo.name}/actions/runs`;
  /** Starts the workflow as a user. @returns the run */
  const start = async (user: Account) => {
    const asUser = await w.as(user);
    await asUser.post(`/repos/${org.login}/${repo.name}/actions/workflows/ci.yml/dispatches`, { ref: 'main' });
    return (await client.get(runs)).body.workflow_runs[0];
  };
  const addBudget = async (wanted: object) => (await client.post(`${base}/budgets`, wanted)).body.budget;
  return { owner, org, repo, base, client, member, runs, start, addBudget };
}

export const passMinutes = ({ clock }: World, minutes: number): void => {
  clock.now = new Date(clock.now.getTime() + Math.round(minutes * 60_000));
};
