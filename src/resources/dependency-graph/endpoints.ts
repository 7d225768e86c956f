import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { notFound } from '#lib/refusal.ts';
import { presentSbom } from './present.ts';
import { DependencySbom } from './schemas.ts';
import { findGraph, listManifests, listPackages } from './store.ts';

export const exportSbom = endpoint({
  id: 'dependency-graph/export-sbom',
  method: 'GET',
  path: '/repos/{owner}/{repo}/dependency-graph/sbom',
  summary: 'Export a software bill of materials (SBOM) for a repository',
  access: readsContents,
  refuses: [404],
  replies: { 200: DependencySbom },
  async handle({ db, at: { repo }, links, now }) {
    if (!repo.dependency_graph) throw notFound();
    const [graph, manifests, packages] = await Promise.all([
      findGraph(db, repo.id),
      listManifests(db, repo.id),
      listPackages(db, repo.id),
    ]);
    return presentSbom(links, repo, { graph, manifests, packages, now });
  },
});
