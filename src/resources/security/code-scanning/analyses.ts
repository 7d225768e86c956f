// Analyses: their deletion, and their results files.

import { Readable } from 'node:stream';
import type { RepositoryAction } from '#access/action.ts';
import { type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Needs, Scope, WriteScope } from '#endpoint/scope.ts';
import { badRequest, notFound, orNotFound } from '#lib/refusal.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { removeInstances } from './instance-store.ts';
import { codeScanningLimits } from './limits.ts';
import { enqueueUndoing } from './process.ts';
import { type Fields, sarifReader } from './sarif.ts';
import { removeUnseenAlerts } from './store.ts';
import { unpacked } from './unpack.ts';
import { type AnalysisRow, findUpload, listAlertNumbers, listLastAnalyses, removeAnalysis } from './upload-store.ts';

/**
 * Deletes the latest analysis of a set. The previous one then decides which alerts are open. Deleting the last analysis of a set
 * deletes its alerts.
 * @returns the previous analysis, if there is one
 * @throws Refusal 400 if there is a later one, or if it is the last and `isConfirmed` is false
 */
export async function deleteAnalysis(
  scope: WriteScope,
  { repo }: RepositoryAction,
  analysis: AnalysisRow,
  { isConfirmed }: { isConfirmed: boolean },
): Promise<number | undefined> {
  await lockRepository(scope.tx, repo.id);
  const { repository_id, ref, tool_name, category } = analysis;
  const set = { repository_id, ref, tool_name, category };
  const [last, next] = await listLastAnalyses(scope.tx, set, 2);
  if (last?.id !== analysis.id) throw badRequest('Analysis specified is not deletable.');
  if (!next && !isConfirmed)
    throw badRequest(
      'Analysis is last of its type and deletion may result in the loss of historical alert data. Please specify confirm_delete.',
    );
  await removeAnalysis(scope.tx, analysis.id);
  if (next) await enqueueUndoing(scope.tx, { set, deleted: analysis.id }, repo.owner_id);
  else {
    await removeInstances(scope.tx, set, undefined);
    await removeUnseenAlerts(scope.tx, { repository: repo.id, tool: tool_name });
  }
  return next?.id;
}

type Reading = Scope & Needs<'objects' | 'resourceLimits'>;

/**
 * The run of an analysis as SARIF: the stored contents of its file, with the numbers and addresses of alerts. It is generated
 * while it is sent.
 */
export async function openSarif(context: Reading, repo: NamedRepository, analysis: AnalysisRow): Promise<Readable> {
  const { db, services } = context;
  const [upload, numbers] = await Promise.all([findUpload(db, analysis.upload_id), listAlertNumbers(db, analysis.id)]);
  const packed = await services.objects.open(orNotFound(upload).object_key);
  if (!packed) throw notFound();
  return Readable.from(writeRun(context, { packed, index: analysis.run_index, numbers, repo }));
}

type Writing = { packed: Readable; index: number; numbers: readonly number[]; repo: NamedRepository };

async function* writeRun(
  { links, services: { resourceLimits } }: Reading,
  { packed, index, numbers, repo }: Writing,
): AsyncGenerator<string> {
  const alerts = `${repositoryUrl(links, repo)}/code-scanning/alerts`;
  let pending: string[] = [];
  let position = 0;
  let run = 0;
  const reader = sarifReader(
    {
      result(result) {
        if (run === index)
          pending.push(`${position === 0 ? '' : ','}${JSON.stringify(withAlert(result, numbers[position] ?? 0, alerts))}`);
        position++;
      },
      run({ results: _, ...rest }) {
        if (run === index) pending.push(`],${JSON.stringify(rest).slice(1)}`);
        position = 0;
        run++;
      },
    },
    resourceLimits.of(codeScanningLimits),
  );
  yield '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[';
  for await (const part of unpacked(packed, resourceLimits.of(codeScanningLimits).unpackedSize)) {
    reader.write(part);
    if (pending.length === 0) continue;
    yield pending.join('');
    pending = [];
  }
  yield ']}';
}

const withAlert = (result: Fields, number: number, alerts: string): Fields =>
  number === 0 ? result : { ...result, properties: { 'github/alertNumber': number, 'github/alertUrl': path(alerts, number) } };
