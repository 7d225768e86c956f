import { newToken } from '#lib/token.ts';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { fresh } from '#test/support/world.ts';

type Switch = { status: string };
type Switches = {
  secret_scanning?: Switch;
  secret_scanning_push_protection?: Switch;
  secret_scanning_non_provider_patterns?: Switch;
};

/** Repositories of an organization that is listened to, with secrets that are put in their files over the API. */
export async function secretSetting() {
  const stage = await listening();
  const { here, owner, org, client, target } = stage;
  const on = { status: 'enabled' };
  const setting = async ({ visibility = 'private', ...switches }: { visibility?: 'private' | 'public' } & Switches = {}) => {
    const repo = await here.repo(org, { name: fresh('engine'), by: owner, visibility });
    const path = `/repos/${org.login}/${repo.name}`;
    const turn = (wanted: Switches) => client.patch(path, { security_and_analysis: wanted });
    if (Object.keys(switches).length > 0) await turn(switches);
    const put = (file: string, text: string, more: object = {}) =>
      client.put(`${path}/contents/${file}`, {
        message: `Add ${file}`,
        content: Buffer.from(text).toString('base64'),
        ...more,
      });
    const alerts = async (query = '') => (await client.get(`${path}/secret-scanning/alerts${query}`)).body;
    await here.settle();
    target.requests.length = 0;
    return { repo, path, turn, put, alerts, at: `${path}/secret-scanning` };
  };
  return { ...stage, on, off: { status: 'disabled' }, setting, heard: () => heard(here, target) };
}

/** A token of Hearth's own form, which nobody has. */
export const ownToken = (): string => newToken('hrp_');

/** The form of an access key of a well-known cloud, made up anew. */
export const cloudKey = (): string =>
  `AKIA${Array.from({ length: 16 }, () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Math.floor(Math.random() * 32))).join('')}`;
