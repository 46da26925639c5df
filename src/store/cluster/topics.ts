// The topics of notices between the processes of a cluster.

/** Followed by the id of a task whose row has changed. */
export const TASK_TOPIC = 'task:';
/** There may be page visits to claim. */
export const OFFERS_TOPIC = 'offers';
/** Followed by the id of a task with page visits that have ended. */
export const ENDED_TOPIC = 'ended:';
/** A robots.txt was fetched. */
export const ROBOTS_TOPIC = 'robots';
