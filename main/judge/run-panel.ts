// The judges grade stored answers without knowing who wrote them. In: the rows of one dataset run, read by panel-input.ts, and a panel as panel-settings.ts
// resolves it. Out: `-judgments.json`, whole or not at all, with agreement and the ranks of the approaches.
//   1. blinding.ts shuffles the answers of a question under letters, once for each rotation, and cuts what would give an approach away.
//   2. leak-scan.ts refuses a question whose prompt still names an approach.
//   3. create-judges.ts makes a client for each judge: a chat model (chat-judge.ts with core/judging/judge-prompt.ts) or a rule (builtin/).
//   4. ask-judges.ts asks them; core/judging/parse-verdict.ts reads the reply, and verdict-journal.ts keeps it, so that a stopped panel pays for no verdict twice.
//   5. query-outcome.ts joins the rotations of a question, and panel-statistics.ts the questions of the panel.
// human/ exports rounds for people and imports their votes, which are counted in the same way.
import type { JudgedQuery, JudgePanelRuntime, Judgments } from '../../contract/evidence/judgments.ts'
import { writeAtomic, type WrittenFile } from '../lib/files/write-atomic.ts'
import { withoutCredentials } from '../manifests/project/provenance.ts'
import { type Asked, askJudges, type PanelProgress } from './ask-judges.ts'
import { ANSWER_CAP, type BlindedQuestion, blindQuestion, judgedAnswers } from './blinding.ts'
import { createJudges, type PlatformGateway } from './create-judges.ts'
import type { JudgeClient } from './judge-client.ts'
import { JudgePanelError } from './judge-error.ts'
import { JUDGE_PROMPT } from '../../core/judging/judge-prompt.ts'
import { leakScan } from './leak-scan.ts'
import type { PanelInput } from './panel-input.ts'
import { checkJudgePanel } from './panel-settings.ts'
import type { JudgePanel } from './panel-settings.ts'
import { panelApproaches, panelStatistics } from './panel-statistics.ts'
import { queryOutcome, verdictOfRotations } from './query-outcome.ts'
import { journalPath, openVerdictJournal } from './verdict-journal.ts'

export interface PanelOptions {
  panel: JudgePanel
  /** Needed when a chat judge is called through the platform's gateway. */
  gateway: PlatformGateway | null
  /** Every declared alias: no prompt may name one. */
  aliases: readonly string[]
  /** Seed of the run; names the random streams of the intervals. */
  seed: string
  /** `-judgments.json`; the journal of verdicts is beside it. */
  file: string
  concurrency?: number
  timeoutMs?: number
  backoffMs?: number
  /** Folder in which the processes of a project share the pace of the judges' endpoint. */
  pacesDir?: string
  onProgress?: (progress: PanelProgress) => void
  /** A notice for the user. */
  onNotice?: (message: string) => void
  drain?: AbortSignal
  abort?: AbortSignal
}

/**
 * Judges the stored answers of one dataset run and writes `-judgments.json`, whole or not at all. Verdicts that an earlier, stopped call has
 * kept are not asked for again, so equal verdicts give equal bytes. Errors of single judges are recorded in the artifact. Throws
 * `JudgePanelError` for a panel or answers that cannot be judged at all, `JudgePanelStoppedError` when stopped, and the disk's errors.
 */
export async function runJudgePanel(
  input: PanelInput,
  options: PanelOptions,
): Promise<{ judgments: Judgments; written: WrittenFile }> {
  const { panel, file, drain, abort, onNotice = () => undefined } = options
  checkJudgePanel({ ...panel, enabled: true }, options.aliases)
  if (input.questions.length === 0)
    throw new JudgePanelError('nothing_to_judge', `${input.datasetId}: there are no stored answers to judge`)
  const aliases = [...options.aliases, ...modelsOf(input)]
  const scan = leakScan(aliases)
  const questions = input.questions.map((question) => blindQuestion(question, scan, panel.reference))
  const { timeoutMs, backoffMs, pacesDir } = options
  const judges = createJudges(panel, options.gateway, scan, {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(backoffMs === undefined ? {} : { backoffMs }),
    ...(pacesDir === undefined ? {} : { pacesDir }),
  })
  try {
    const journal = await openVerdictJournal(journalPath(file))
    try {
      if (journal.torn !== null) onNotice(`an unfinished verdict was moved to ${journal.torn}`)
      const asked = await askJudges({
        judges,
        questions: questions.filter(({ leaks }) => leaks.length === 0),
        rotations: panel.rotations,
        showsReference: panel.reference,
        journal,
        concurrency: options.concurrency ?? 1,
        onProgress: options.onProgress ?? (() => undefined),
        drain: drain ?? new AbortController().signal,
        abort: abort ?? new AbortController().signal,
      })
      const judgments = assemble(input, options, judges, questions, asked)
      return { judgments, written: await writeAtomic(file, judgmentsText(judgments)) }
    } finally {
      await journal.close()
    }
  } finally {
    await Promise.all(judges.map((judge) => judge.close()))
  }
}

/** The bytes of `-judgments.json`. */
const judgmentsText = (judgments: Judgments): string => `${JSON.stringify(judgments, null, 2)}\n`

const modelsOf = ({ questions }: PanelInput): string[] => [
  ...new Set(questions.flatMap(({ answers }) => answers.map(({ model }) => model))),
]

function assemble(
  input: PanelInput,
  { panel, seed }: PanelOptions,
  judges: readonly JudgeClient[],
  questions: readonly BlindedQuestion[],
  { verdicts, failures }: Asked,
): Judgments {
  const names = judges.map(({ name }) => name)
  const models = modelsOf(input)
  const queries = questions.map((blinded): JudgedQuery => {
    const { id, query, expectWinner, answers } = blinded.question
    const own = answers.map(({ model }) => model)
    const perJudge = names.flatMap((name) => {
      const verdict = verdictOfRotations(verdicts.get(id)?.get(name) ?? [], own)
      return verdict === null ? [] : [[name, verdict] as const]
    })
    return {
      query_id: id,
      query,
      expect_winner: expectWinner,
      per_judge: Object.fromEntries(perJudge),
      ...queryOutcome(
        perJudge.map(([, verdict]) => verdict),
        own,
      ),
      answers: judgedAnswers(blinded),
    }
  })
  const blocked = questions.flatMap(({ question, leaks }) =>
    leaks.length === 0 ? [] : [{ query_id: question.id, leaks }],
  )
  const withheld = questions.flatMap(({ question, leaks, withheld: found }) =>
    leaks.length > 0 || found.length === 0 ? [] : [{ query_id: question.id, leaks: found }],
  )
  const complete = failures.length === 0 && blocked.length === 0
  const documents = new Map(input.questions.map(({ id, documents }) => [id, documents]))
  const unanswerable = new Set(input.questions.flatMap(({ id, answerable }) => (answerable ? [] : [id])))
  return {
    status: verdicts.size === 0 ? 'error' : complete ? 'ok' : 'partial',
    run_id: input.runId,
    dataset_id: input.datasetId,
    judges: names,
    runtime: runtimeOf(panel, judges),
    ingestion: input.ingestion,
    approaches: panelApproaches(queries, models),
    panel: panelStatistics({
      judges: names,
      models,
      rotations: panel.rotations,
      queries,
      failures,
      documents,
      unanswerable,
      seed,
    }),
    blocked,
    ...(withheld.length === 0 ? {} : { withheld }),
    errors: failures,
    queries,
  }
}

function runtimeOf(panel: JudgePanel, judges: readonly JudgeClient[]): JudgePanelRuntime {
  const hasChat = judges.some(({ kind }) => kind === 'chat')
  return {
    prompt_name: JUDGE_PROMPT.name,
    prompt_version: JUDGE_PROMPT.version,
    endpoint: hasChat ? withoutCredentials(panel.endpoint) : 'builtin',
    temperature: panel.temperature,
    think: hasChat ? panel.think : null,
    rotations: panel.rotations,
    reference: panel.reference,
    answer_cap: ANSWER_CAP,
    judges: judges.map(({ name, family, kind }) => ({ name, family, kind })),
  }
}
