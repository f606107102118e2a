import { hash } from 'node:crypto'
import { canonicalJson } from '../../core/canonical-json.ts'
import { RefusalsInARow } from '../../core/http/access-refused.ts'
import type { JudgedRotation, JudgeFailure } from '../../contract/evidence/judgments.ts'
import { type BlindedQuestion, blindedTask, type BlindedTask } from './blinding.ts'
import type { JudgeClient, JudgeReply } from './judge-client.ts'
import { JudgePanelStoppedError } from './judge-error.ts'
import type { VerdictJournal } from './verdict-journal.ts'

/** Describes how far the panel is; counts of verdicts. */
export interface PanelProgress {
  judge: string
  done: number
  total: number
  failed: number
}

export interface Asking {
  judges: readonly JudgeClient[]
  /** Without leaks. */
  questions: readonly BlindedQuestion[]
  rotations: number
  showsReference: boolean
  journal: VerdictJournal
  /** Prompts in flight at one judge. */
  concurrency: number
  onProgress: (progress: PanelProgress) => void
  /** Raised to let prompts in flight finish and ask no more. */
  drain: AbortSignal
  /** Aborted to cancel prompts in flight too. */
  abort: AbortSignal
}

export interface Asked {
  /** Question → judge → rotations in their order. */
  verdicts: Map<string, Map<string, JudgedRotation[]>>
  failures: JudgeFailure[]
}

interface Job {
  queryId: string
  judge: JudgeClient
  rotation: number
  blinded: BlindedTask
  key: string
}

type JobResult = { ok: true; verdict: JudgedRotation } | { ok: false; failure: JudgeFailure }

/** Hash of everything that a verdict depends on: a changed answer, order, wording or setting makes it another one. */
function keyOf({ name, kind, identity }: JudgeClient, { order, task }: BlindedTask): string {
  return hash('sha256', canonicalJson({ name, kind, identity, order, task }))
}

/**
 * Asks one judge after another, so that a local host loads each model once, and each verdict only if the journal lacks it. What a judge does
 * wrong is a failure in the result and asked for again next time. Throws `JudgePanelStoppedError` when stopped before the end.
 */
export async function askJudges(asking: Asking): Promise<Asked> {
  const asked: Asked = { verdicts: new Map(), failures: [] }
  const total = asking.judges.length * asking.questions.length * asking.rotations
  let done = 0
  for (const judge of asking.judges) {
    const jobs = jobsFor(judge, asking)
    const results = await runJobs(jobs, asking, new RefusalsInARow(), ({ ok }) => {
      done += 1
      const failed = asked.failures.length + (ok ? 0 : 1)
      asking.onProgress({ judge: judge.name, done, total, failed })
    })
    const missing = results.filter((result) => result === null).length
    if (missing > 0) throw new JudgePanelStoppedError(done, total - done)
    for (const [index, result] of results.entries()) collect(asked, jobs[index]!, result!)
  }
  return asked
}

function jobsFor(judge: JudgeClient, { questions, rotations, showsReference }: Asking): Job[] {
  return questions.flatMap((question) =>
    Array.from({ length: rotations }, (_, rotation): Job => {
      const blinded = blindedTask(question, judge, rotation, showsReference)
      return { queryId: question.question.id, judge, rotation, blinded, key: keyOf(judge, blinded) }
    }),
  )
}

/** Results in the order of the jobs; null for those that were not done because the panel was stopped. */
async function runJobs(
  jobs: readonly Job[],
  asking: Asking,
  refusals: RefusalsInARow,
  onDone: (result: JobResult) => void,
) {
  const results: (JobResult | null)[] = jobs.map(() => null)
  const open = jobs.entries()
  const isStopped = (): boolean => asking.drain.aborted || asking.abort.aborted
  let isBroken = false
  async function worker(): Promise<void> {
    for (const [index, job] of open) {
      if (isBroken || (isStopped() && !asking.journal.kept.has(job.key))) return
      const result = await runJob(job, asking, refusals).catch((error: unknown) => {
        if (asking.abort.aborted) return null
        isBroken = true
        throw error
      })
      if (result === null) return
      results[index] = result
      onDone(result)
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: asking.concurrency }, worker))
  const broken = workers.find((settled) => settled.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return results
}

/** The verdict of a job, kept or asked for; after three equal refusals in a row of the key or the account, the same failure without a call. */
async function runJob(
  { queryId, judge, rotation, blinded, key }: Job,
  { journal, abort }: Asking,
  refusals: RefusalsInARow,
): Promise<JobResult> {
  const kept = journal.kept.get(key)
  if (kept !== undefined) return { ok: true, verdict: kept }
  const reply: JudgeReply =
    refusals.stopped === null
      ? await judge.judge(blinded.task, abort)
      : { ok: false, code: 'access_refused', message: refusals.stopped, attempts: 0 }
  refusals.add(!reply.ok && reply.code === 'access_refused' ? reply.message : null)
  if (!reply.ok) {
    const { ok: _ok, ...failure } = reply
    return { ok: false, failure: { query_id: queryId, judge: judge.name, rotation, ...failure } }
  }
  const verdict = unblinded(reply, blinded, rotation)
  await journal.append({ key, query_id: queryId, judge: judge.name, verdict })
  return { ok: true, verdict }
}

/** Letters → aliases. */
function unblinded(
  { verdict, attempts, usage }: Extract<JudgeReply, { ok: true }>,
  { order, task }: BlindedTask,
  rotation: number,
): JudgedRotation {
  const aliasOf = new Map(task.answers.map(({ letter }, index) => [letter, order[index]!]))
  const named = <Value>(map: ReadonlyMap<string, Value>): Record<string, Value> =>
    Object.fromEntries(Array.from(map, ([letter, value]) => [aliasOf.get(letter)!, value]))
  return {
    rotation,
    order,
    scores: named(verdict.scores),
    best: verdict.best === null ? null : aliasOf.get(verdict.best)!,
    ...(verdict.reasons.size === 0 ? {} : { reasons: named(verdict.reasons) }),
    attempts,
    ...(usage === undefined ? {} : { usage }),
  }
}

function collect({ verdicts, failures }: Asked, { queryId, judge }: Job, result: JobResult): void {
  if (!result.ok) {
    failures.push(result.failure)
    return
  }
  const ofQuery = verdicts.get(queryId) ?? new Map<string, JudgedRotation[]>()
  verdicts.set(queryId, ofQuery)
  const ofJudge = ofQuery.get(judge.name) ?? []
  ofQuery.set(judge.name, ofJudge)
  ofJudge.push(result.verdict)
}
