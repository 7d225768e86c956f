export { notify } from './notify.ts';
export { laterReasons, reasons } from './reasons.ts';
export { putSubject } from './subject-store.ts';
