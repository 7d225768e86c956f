import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, numberWord, slugWord } from '#endpoint/path-words.ts';
import { findAlertForUpdate, selectAlert } from './store.ts';
import { findAnalysisForUpdate, selectAnalysis, selectUpload } from './upload-store.ts';

/** An alert of a repository, by its number. */
export const codeScanningAlert = pathResource({
  name: 'codeScanningAlert',
  words: { alert_number: numberWord },
  below: 'repo',
  query: ({ db, at }, { alert_number }) => selectAlert(db, at.repo.id, alert_number),
  lock: (tx, at) => findAlertForUpdate(tx, at.codeScanningAlert),
});

/** An analysis of a repository. */
export const codeScanningAnalysis = pathResource({
  name: 'codeScanningAnalysis',
  words: { analysis_id: idOf('code_scanning_analyses') },
  below: 'repo',
  query: ({ db, at }, { analysis_id }) => selectAnalysis(db, at.repo.id, analysis_id),
  lock: (tx, at) => findAnalysisForUpdate(tx, at.codeScanningAnalysis),
});

/** An uploaded results file of a repository. */
export const sarifUpload = pathResource({
  name: 'sarifUpload',
  words: { sarif_id: slugWord },
  below: 'repo',
  query: ({ db, at }, { sarif_id }) => selectUpload(db, at.repo.id, sarif_id),
});
