import { readsContents, writesContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { getCommitBySha } from '#resources/code/commits/index.ts';
import { presentSbom } from './present.ts';
import { submitSnapshot } from './rules.ts';
import { DependencySbom, DependencySnapshot, NewSnapshot } from './schemas.ts';
import { findGraph, listDetectors, listManifests, listPackages } from './store.ts';

export const exportSbom = endpoint({
  id: 'dependency-graph/export-sbom',
  method: 'GET',
  path: '/repos/{owner}/{repo}/dependency-graph/sbom',
  summary: 'Export a software bill of materials (SBOM) for a repository',
  access: readsContents,
  refuses: [404],
  replies: { 200: DependencySbom },
  isLarge: true,
  async handle({ db, at: { repo }, links, now }) {
    if (!repo.dependency_graph) throw notFound();
    const [graph, manifests, packages, detectors] = await Promise.all([
      findGraph(db, repo.id),
      listManifests(db, repo.id),
      listPackages(db, repo.id),
      listDetectors(db, repo.id),
    ]);
    return presentSbom(links, repo, { graph, manifests, packages, detectors, now });
  },
});

export const createSnapshot = endpoint({
  id: 'dependency-graph/create-repository-snapshot',
  method: 'POST',
  path: '/repos/{owner}/{repo}/dependency-graph/snapshots',
  summary: 'Create a snapshot of dependencies for a repository',
  access: writesContents,
  refuses: [404, 422],
  body: NewSnapshot,
  example: {
    version: 0,
    sha: 'ce587453ced02b1526dfb4cb910479d431683101',
    ref: 'refs/heads/main',
    job: { correlator: 'build_linux', id: '42' },
    detector: { name: 'bundler', version: '1.2.0', url: 'https://bundler.example' },
    scanned: '2026-01-01T00:00:00Z',
    manifests: {
      'package-lock.json': {
        name: 'package-lock.json',
        file: { source_location: 'web/package-lock.json' },
        resolved: { left: { package_url: 'pkg:npm/left@1.1.0', relationship: 'direct' } },
      },
    },
  },
  replies: { 201: DependencySnapshot },
  async handle({ change, at: { repo }, body, action, now, services: { git } }) {
    if (!repo.dependency_graph) throw notFound();
    const commit = await getCommitBySha(repoOf(git, repo.id), body.sha);
    const { id, isCurrent } = await change((scope) => submitSnapshot(scope, action, { ...body, commit }));
    const created_at = timestamp(now);
    return isCurrent
      ? { id, created_at, result: 'SUCCESS' as const, message: 'The dependencies of the repository were updated.' }
      : { id, created_at, result: 'ACCEPTED' as const, message: 'Only snapshots of the default branch update the dependencies.' };
  },
});
