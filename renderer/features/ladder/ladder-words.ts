import type { FailureClass, FailureCounts } from '../../../contract/control/run-job.ts'
import type { WorkerState } from '../../../contract/control/run-workers.ts'
import { plural } from '../../components/format.ts'

const FAILURE_CLASSES: Readonly<Record<FailureClass, string>> = {
  timeout: 'no answer in time',
  connection_failed: 'no connection',
  connection_reset: 'connection lost',
  http_error: 'error of the gateway',
  rate_limited: 'too many requests',
  access_refused: 'access refused',
  invalid_response: 'invalid answer',
  response_too_large: 'answer too large',
  content_filtered: 'answer filtered',
  refused: 'model refused',
  schema_mismatch: 'answer in another format',
  cancelled: 'cancelled',
  evaluation_error: 'not scored, because the evaluator failed',
  evaluation_timeout: 'not scored, because the evaluator took too long',
}

const WORKER_STATES: Readonly<Record<WorkerState, string>> = {
  working: 'working',
  idle: 'waiting',
  ended: 'ended',
  lost: 'connection lost',
}

/** The texts of the tab Progress. */
export const LADDER_WORDS = {
  page: {
    noStepsOf: (wanted: string) => `No steps of ${wanted}`,
    noRecord: 'This engine has no record of how it was run, for example because it was not started here.',
    cells: (done: string, total: string) => ` · ${done}/${total} answers`,
  },

  cancelButton: {
    openDialog: 'Cancel run…',
    question: (runId: string) => `Cancel run ${runId}?`,
    cancelRun: 'Cancel run',
    cellsKept: (done: string, total: string) =>
      `${done} of ${total} answers are done and kept. Those under way are dropped.`,
    noCellDone: 'No answer is done yet.',
    canResume: (progress: string) => `${progress} A cancelled run can be resumed.`,
  },

  climbView: {
    failed: 'Failed:',
    verdictsFailed: (name: string, done: string, total: string, failed: string) =>
      `${name}: ${done}/${total} verdicts, ${failed} failed`,
    notStarted: 'not started',
    queued: 'queued',
    allStepsDone: '● all steps done',
    stopped: '✕ stopped',
    running: '◐ running',
    stepFailed: '▲ failed',
    cellsFailed: (hasFailed: string, done: string, failed: string) =>
      `${hasFailed} · ${done} answers · ${failed} failed`,
    steps: (done: number, laddersteps: number) => `${done}/${laddersteps} steps`,
    hide: 'Hide',
    show: 'Show',
    toggleSteps: (open: string) => `${open} steps`,
    cellsOf: (done: string, total: string, failed: string) => `${done}/${total} answers · ${failed} failed`,
    reused: (reuse: string) => ` · ${reuse} reused`,
    cellsPerSecond: (rate: string) => ` · ${rate} answers/s`,
    left: (left: string) => ` · ${left} left`,
    unavailable: (aliases: readonly string[], reason: string) =>
      `✕ ${aliases.join(', ')} ${aliases.length === 1 ? 'is' : 'are'} unavailable: ${reason}`,
    cellsDone: 'Answers done',
    approach: 'Approach',
    approaches: 'Answers of each approach',
    ok: 'Ok',
    failedColumn: 'Failed',
    last: 'Last took',
    phases: 'Phases of the ingestion',
    phaseDone: (done: string, total: string) => `${done} of ${total} done`,
    perSecond: (rate: string) => ` · ${rate} per second`,
    phaseMeter: (phase: string) => `${phase} done`,
  },

  logTail: {
    log: 'Log',
  },

  repairButtons: {
    moveTornBytes: 'Move torn bytes',
    resumeRun: 'Resume run',
    startNewRun: 'Start new run',
    openProviders: 'Open Services',
    openModels: 'Open Models',
    openSettings: 'Open Settings',
  },

  missingColumns: {
    note: (missing: string, isPartlyFailed: boolean) =>
      isPartlyFailed
        ? `Some answers failed; ${missing}. Everything else is scored.`
        : `${missing.charAt(0).toUpperCase()}${missing.slice(1)}. Everything else is scored.`,
    useBuiltIn: 'Use built-in evaluator',
    choose: 'Choose evaluator…',
    scoring: 'Scoring',
    question: (run: string) => `Score the answers of ${run} by another evaluator?`,
    about:
      'A new run takes over the stored answers and scores those that lack a score of this evaluator. No approach is called again, and this run stays as it is.',
    evaluator: 'Evaluator of the model set',
    ofSet: (set: string, model: string) => `${set} (${model})`,
    confirm: 'Score answers',
    keep: 'Close',
  },

  retryFailures: {
    openDialog: 'Retry failures…',
    retrying: 'Retrying',
    question: (run: string) => `Retry failures of ${run} in a new run?`,
    newRun:
      'A new run takes over everything that succeeded, without calling anything, and makes the chosen failures again. This run stays as it is.',
    triedAgain: 'Tried again',
    failureClass: ({ class: name, cells }: FailureCounts['classes'][number]) =>
      `${plural(cells, 'answer')}: ${FAILURE_CLASSES[name]}`,
    missing: (aliases: readonly string[]) =>
      `Not made: the answers of ${aliases.join(', ')}. They need another model, and so a run of their own.`,
    makeMissing: 'Run missing approaches…',
    refusals: 'What an evaluator cannot score, such as some refusals, fails again.',
    confirm: (cells: number) => `Retry ${plural(cells, 'answer')}`,
    keep: 'Close',
  },

  workers: {
    title: 'Workers',
    summary: (connected: number, all: number, database: string) => `${connected} of ${all} connected · ${database}`,
    none: 'No process works on this run.',
    leftOut: (workers: number) => `${plural(workers, 'further worker')} worked on this run before.`,
    worker: 'Worker',
    process: (host: string, pid: number) => `on ${host}, process ${pid}`,
    state: 'State',
    states: WORKER_STATES,
    dataset: 'Dataset',
    cells: 'Works on',
    cell: (question: string, model: string, repeat: number) =>
      `${question} with ${model}${repeat === 1 ? '' : ` (${repeat})`}`,
    more: (cells: number) => `${cells} more`,
    stored: 'Answers done',
    lastSeen: 'Last seen',
    now: 'now',
    ago: (time: string) => `${time} ago`,
    joined: 'Joined',
  },

  rayJobs: {
    title: (url: string) => `Jobs on the Ray cluster ${url}`,
    label: 'Jobs on Ray',
    job: 'Job',
    state: 'State',
    workers: 'Workers',
    message: 'Message of Ray',
    started: 'Started',
    actions: 'Actions',
    toggleLog: (isShown: boolean) => (isShown ? 'Hide log' : 'Show log'),
    logOf: (isShown: boolean, job: string) => `${isShown ? 'Hide' : 'Show'} log of ${job}`,
    log: (job: string) => `Log of ${job}`,
    noLog: 'Nothing is printed yet.',
    isCut: 'The end of the log:',
    openDialog: 'Cancel job…',
    cancelOf: (job: string) => `Cancel job ${job}…`,
    question: (job: string) => `Cancel job ${job}?`,
    stops: (workers: string) =>
      `Ray stops ${workers}. Stored rows stay, and other workers take over the answers in hand.`,
    cancel: 'Cancel job',
    keep: 'Keep job',
    cancelling: 'Cancelling the job',
  },

  runNote: {
    dismissing: 'Dismissing',
    run: 'Run ',
    openResult: 'Open result',
    openMatrix: 'Open matrix',
    resumeRun: 'Resume run',
    showSteps: 'Show steps',
    dismiss: 'Dismiss',
  },
} as const
