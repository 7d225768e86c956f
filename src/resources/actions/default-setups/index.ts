export { explainSetup, listAnalyserProblems } from './explain.ts';
