import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { TraceText } from '../../../contract/evidence/trace.ts'
import { metricOfId, PRIMARY_METRICS } from '../../../contract/metrics/metrics.ts'
import { countWords, durationWords, plural, scoreWords } from '../../../contract/words.ts'
import { budgetEnd } from '../../../core/evidence/budget-end.ts'
import { diagnose, OUTCOME_SIGNS } from '../../../core/evidence/cell-diagnosis.ts'
import {
  TRACE_GAP_WORDS,
  TRACE_KIND_WORDS,
  readableParts,
  traceGap,
  traceRows,
} from '../../../core/evidence/trace-rows.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { storedTraceText } from '../../evidence/traces/stored-text.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { goldPathsOf } from '../../engine/queries/gold-paths.ts'
import { goldRanksOf } from '../../engine/queries/gold-ranks.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { metricOutcome, type ScoreMetric } from '../../report/aggregate/metric-outcome.ts'
import { unpackedFolderForUse } from '../../report/publication/published-folder.ts'
import {
  EXIT,
  flag,
  flagOption,
  numberOption,
  textOption,
  textValue,
  wholeNumber,
  type Command,
  type Invocation,
} from '../command.ts'
import { answerRow, type FoundAnswer } from '../find-answer.ts'
import { artifactPlace, RUN_OPTIONS } from '../options.ts'

export const traceCommand: Command = {
  name: 'trace',
  options: {
    project: { ...RUN_OPTIONS.project, description: 'folder from which --results counts' },
    results: { ...RUN_OPTIONS.results, description: 'folder with the artifacts of the run' },
    'run-id': textValue('ID', 'the run'),
    dataset: textValue('ID', 'dataset of the question; needed where several have it'),
    question: textValue('ID', 'the question'),
    model: textValue('ALIAS', 'approach or flavor that answered'),
    repeat: { ...wholeNumber(1, 1000, 1), description: 'which answer to the question; the first unless given' },
    texts: flag('print also what was sent and received, where it is stored'),
    json: flag('print the steps as JSON lines'),
  },
  async run(invocation) {
    const [runId, question, model] = ['run-id', 'question', 'model'].map((name) => required(invocation, name))
    const warn = (problem: string): void => void invocation.stderr.write(`${sanitizeForTerminal(problem)}\n`)
    await unpackedFolderForUse(artifactPlace(invocation).resultsDir, warn, async (resultsDir) => {
      const place: ArtifactPlace = { resultsDir, named: {} }
      const dataset = textOption(invocation, 'dataset')
      const repeat = numberOption(invocation, 'repeat') ?? 1
      const answer = await answerRow(place, { runId: runId!, question: question!, model: model!, dataset, repeat })
      const lines = flagOption(invocation, 'json')
        ? (answer.row.trace?.steps ?? []).map((step) => JSON.stringify(step))
        : [
            ...(await answerLines(place, answer)),
            ...(await treeLines(place, answer.row, flagOption(invocation, 'texts'))),
          ]
      invocation.stdout.write(`${sanitizeForTerminal(lines.join('\n'))}\n`)
    })
    return EXIT.ok
  },
}

function required(invocation: Invocation, name: string): string {
  const value = textOption(invocation, name)
  if (value === null)
    throw new InputError([`--${name} is missing: name the run, the question and the model of the answer`])
  return value
}

const MOST_SHOWN = 400
const onOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MOST_SHOWN ? line : `${line.slice(0, MOST_SHOWN).toWellFormed()} …`
}

/** The answer beside the expected one, why it is right or wrong as its page says it, and its scores. */
async function answerLines(place: ArtifactPlace, { row, all }: FoundAnswer): Promise<string[]> {
  const { question, evidence, error } = row
  const goldRanks = goldRanksOf({ row, cuts: [] })
  const { outcome, lead, rest } = diagnose({
    row,
    goldRanks,
    goldPaths: await goldPathsOf(place, row, goldRanks),
    isAnswerPartial: false,
    budgetEnd: evidence === null ? null : budgetEnd(evidence),
    others: all,
  })
  const scores = PRIMARY_METRICS.flatMap((id) => {
    const { class: metricClass, label } = metricOfId(id)
    const found = metricClass === 'judge_panel' ? null : metricOutcome(row, id as ScoreMetric)
    return found?.kind === 'scored' ? [`${label} ${scoreWords(found.score)}`] : []
  })
  return [
    `${question.id} · ${row.approach.model} · run ${row.run_id} · ${row.dataset.id}`,
    `question: ${onOneLine(question.query)}`,
    ...(question.ground_truth === null ? [] : [`expected: ${onOneLine(question.ground_truth)}`]),
    ...(evidence === null ? [] : [`answer: ${onOneLine(evidence.answer)}`]),
    [OUTCOME_SIGNS[outcome], lead, rest, error?.message].filter(Boolean).join(' '),
    ...(scores.length === 0 ? [] : [scores.join(' · ')]),
  ]
}

async function treeLines(place: ArtifactPlace, row: CanonicalRow, withTexts: boolean): Promise<string[]> {
  const { trace } = row
  const gap = traceGap(trace)
  const lines: string[] = []
  if (gap !== null) lines.push(TRACE_GAP_WORDS[gap])
  if (trace === undefined) return lines
  for (const { step, depth } of traceRows(trace)) {
    const indent = '  '.repeat(depth + 1)
    const tokens =
      step.tokens_in === undefined
        ? ''
        : `, ${countWords(step.tokens_in)} tokens in, ${countWords(step.tokens_out ?? 0)} out`
    const time = `at ${durationWords(step.start_ms)}, ${durationWords(step.duration_ms)}`
    lines.push(`${indent}${TRACE_KIND_WORDS[step.kind]}: ${step.name} (${time}${tokens})`)
    if (step.error !== undefined) lines.push(`${indent}  ▲ ${step.error}`)
    if (!withTexts) continue
    lines.push(...(await textLines(place, row, 'sent', step.request, indent)))
    lines.push(...(await textLines(place, row, 'received', step.response, indent)))
  }
  if (trace.left_out !== undefined)
    lines.push(`  ▲ ${plural(trace.left_out, 'more step')} not kept: a limit of traces was reached.`)
  return lines
}

async function textLines(
  place: ArtifactPlace,
  row: CanonicalRow,
  name: string,
  kept: TraceText | undefined,
  indent: string,
): Promise<string[]> {
  if (kept === undefined) return []
  const head = `${indent}  ${name}, ${plural(kept.chars, 'character')}`
  if (kept.kept === 'left_out') return [`${head}: not kept, because a limit of traces was reached`]
  const text = await storedTraceText(place, row, kept.sha256)
  if (text === null) return [`${head}: not stored on this machine`]
  const parts = readableParts(text).flatMap(({ role, text: part }) => [
    ...(role === null ? [] : [`${role}:`]),
    ...part.split('\n'),
  ])
  return [`${head}${kept.kept === 'cut' ? ', its beginning' : ''}:`, ...parts.map((line) => `${indent}    ${line}`)]
}
