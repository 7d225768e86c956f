import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { findRepository } from '#resources/repositories/index.ts';
import { checkedPullOf, checkPull } from './checks.ts';
import { listPullRefs } from './instance-store.ts';
import { findAlert } from './store.ts';

/** Tells pull requests anew what is open in them, after an alert was dismissed or opened again. */
export const recheckPulls = subscription<'code_scanning_alert.closed_by_user' | 'code_scanning_alert.reopened_by_user', Services>(
  {
    name: 'code-scanning.recheck-pulls',
    on: ['code_scanning_alert.closed_by_user', 'code_scanning_alert.reopened_by_user'],
    attempts: 10,
    async run({ repository, data }, { db, change, services: { git }, now }) {
      const [alert, repo] = await Promise.all([
        findAlert(db, data.alert),
        repository === undefined ? undefined : findRepository(db, repository),
      ]);
      if (!alert || !repo) return;
      for (const instance of await listPullRefs(db, alert.id)) {
        const pull = await checkedPullOf({ db, git }, repo, instance);
        if (pull) await change((tx) => checkPull(tx, { repo, pull, now }, { ref: instance.ref, tool: alert.tool_name }));
      }
    },
  },
);
