export { claimNames, type JobClaims, type SubjectTemplate, subjectOf } from './subject.ts';
export { subjectTemplateOf } from './templates.ts';
