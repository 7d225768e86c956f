export { assigneeWords, findAlertAssignee, getAlertAssignees, isAssignedAs, loadAlertAssignees } from './assignments.ts';
