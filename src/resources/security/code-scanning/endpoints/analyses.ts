// Uploads of tools' results, and the analyses that are made from them.
import { Type } from 'typebox';
import { mapEach } from '#database/list.ts';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { deleteAnalysis, openSarif } from '../analyses.ts';
import { analysesOf } from '../filters.ts';
import { codeScanningAnalysis, sarifUpload } from '../path-resources.ts';
import { deletesFindings, readsFindings, uploadsFindings } from '../policies.ts';
import { presentAnalysis, presentDeletion, presentStatus, sarifUrl } from '../present.ts';
import {
  AnalysisDeletion,
  AnalysisDeletionQuery,
  AnalysisQuery,
  CodeScanningAnalysis,
  NewSarif,
  SarifReceipt,
  SarifStatus,
} from '../schemas.ts';
import { listAnalyses } from '../upload-store.ts';
import { receiveSarif } from '../uploads.ts';

export const uploadSarif = endpoint({
  id: 'code-scanning/upload-sarif',
  method: 'POST',
  path: '/repos/{owner}/{repo}/code-scanning/sarifs',
  summary: 'Upload an analysis as SARIF data',
  access: uploadsFindings,
  carries: 'file',
  refuses: [404, 422],
  body: NewSarif,
  example: {
    commit_sha: '4b6472266afd7b471e86085a6659e8c7f2b119da',
    ref: 'refs/heads/main',
    sarif: 'H4sIAAAAAAAAA6tWKkstKs7Mz1OyUjLSM9QzUNJRKirNK1ayio6tBQBSlZKzHQAAAA==',
    validate: false,
  },
  replies: { 202: SarifReceipt },
  async handle({ scope, at, body, action, links, caller }) {
    const row = await receiveSarif(scope, caller, action, body);
    return { id: row.sarif_id, url: sarifUrl(links, at.repo, row) };
  },
});

export const getSarif = endpoint({
  id: 'code-scanning/get-sarif',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/sarifs/{sarif_id}',
  resources: [sarifUpload],
  summary: 'Get information about a SARIF upload',
  access: readsFindings,
  replies: { 200: SarifStatus },
  async handle({ at, links }) {
    return presentStatus(links, at.repo, at.sarifUpload);
  },
});

export const listCodeScanningAnalyses = endpoint({
  id: 'code-scanning/list-recent-analyses',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/analyses',
  summary: 'List code scanning analyses for a repository',
  access: readsFindings,
  refuses: [422],
  query: AnalysisQuery,
  paging: pages(),
  replies: { 200: Type.Array(CodeScanningAnalysis) },
  async handle({ db, at: { repo }, query, page, links }) {
    return mapEach(await listAnalyses(db, repo.id, analysesOf(query), page), (row) => presentAnalysis(links, repo, row));
  },
});

export const getCodeScanningAnalysis = endpoint({
  id: 'code-scanning/get-analysis',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/analyses/{analysis_id}',
  resources: [codeScanningAnalysis],
  summary: 'Get a code scanning analysis for a repository',
  access: readsFindings,
  media: ['sarif'],
  replies: { 200: CodeScanningAnalysis },
  async handle({ scope, at, links, media }) {
    const { repo, codeScanningAnalysis: row } = at;
    if (media === 'sarif') return raw('application/sarif+json', await openSarif(scope, repo, row));
    return presentAnalysis(links, repo, row);
  },
});

export const deleteCodeScanningAnalysis = endpoint({
  id: 'code-scanning/delete-analysis',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/code-scanning/analyses/{analysis_id}',
  resources: [codeScanningAnalysis],
  summary: 'Delete a code scanning analysis from a repository',
  access: deletesFindings,
  query: AnalysisDeletionQuery,
  replies: { 200: AnalysisDeletion },
  async handle({ change, at, query, action, links }) {
    const isConfirmed = query.confirm_delete === 'true';
    const next = await change((scope, { codeScanningAnalysis: row }) => deleteAnalysis(scope, action, row, { isConfirmed }));
    return presentDeletion(links, at.repo, next);
  },
});
