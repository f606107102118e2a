import { cloudApproaches, cloudWords } from '../../../core/evidence/cloud-use.ts'
import { KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Dataset } from '../../../contract/manifests/datasets.ts'
import { METRIC_LABELS, metricsIn, RETRIEVAL_METRICS } from '../../../contract/metrics/metrics.ts'
import { countWords, plural, USE_NOTE } from '../../../contract/words.ts'
import { metricsOf } from '../aggregate/aggregate-access.ts'
import { budgetLines, protocolLines } from '../tables/budget-tables.ts'
import { comparisonLines, varianceLines } from '../tables/comparison-tables.ts'
import { contextTextWords, coverageNotes, refusalWords, UNEQUAL_SIGN } from '../tables/coverage-notes.ts'
import { ingestionWords } from '../tables/ingestion-words.ts'
import { findings, modelCaution } from '../tables/findings.ts'
import { judgeLines } from '../tables/judge-tables.ts'
import { approachCode, code, columnsFrom, md, mdTable } from './markdown-text.ts'
import { levelWords } from '../tables/measured-levels.ts'
import type { FailedCell } from '../matrix/matrix-form.ts'
import { metricGlossaryLines } from '../tables/metric-glossary.ts'
import { METRICS_OF, type ScoreMetric } from '../aggregate/metric-outcome.ts'
import { contextsOf, depthReason, isRuleGraded, REPORTED_PASSAGES } from '../aggregate/metric-use.ts'
import { costTable, hopTable, scoreTable } from '../tables/report-tables.ts'
import { runUseTable, USE_TITLE } from '../tables/run-use.ts'
import { verdictsOf } from '../verdict/verdict.ts'
import { STATE_SIGNS, STATE_WORDS } from '../words.ts'

/** A published file beside the report. */
interface ReportArtifact {
  /** File name in the report's folder. */
  name: string
  sha256: string
  sizeBytes: number
}

interface DatasetReportInput {
  dataset: Pick<Dataset, 'id' | 'label' | 'description'>
  aggregate: Aggregate
  /** The matrix's cells without an answer, in its order. */
  failed: readonly FailedCell[]
  artifacts: readonly ReportArtifact[]
}

/** More failed cells than this are counted instead of listed. */
const MAX_FAILED_LISTED = 200
const BY_HOPS = metricsIn('hops').map(({ id }) => id as ScoreMetric)

/** A dataset's report in Markdown, readable alone; equal input gives equal text. */
export function datasetReport(input: DatasetReportInput): string {
  const { dataset, aggregate, failed } = input
  const requested: ScoreMetric[] = aggregate.metrics
  const sections: (readonly [string, readonly string[]])[] = [
    ['What was run', runLines(aggregate)],
    [
      'Answers',
      [
        'Against the ground truth, without a model; approaches of every kind compare.',
        '',
        ...scoreTable(
          aggregate,
          METRICS_OF.answer.filter((metric) => metricsOf(aggregate).includes(metric)),
        ),
        ...refusalLines(aggregate),
      ],
    ],
    [
      'Model-graded scores',
      requested.length === 0
        ? ['None was requested.']
        : [...ruleGraded(aggregate), ...scoreTable(aggregate, requested)],
    ],
    [
      'Retrieval',
      [
        'Contexts against the gold evidence of each question. An approach that retrieves nothing scores 0.',
        ...optionalText(contextTextWords(aggregate)),
        '',
        ...scoreTable(aggregate, METRICS_OF.retrieval),
        ...depthLines(aggregate),
      ],
    ],
    ...optional('Text handed over', budgetLines(aggregate)),
    ...optional('What the approaches share', protocolLines(aggregate)),
    ['Differences', comparisonLines(aggregate)],
    ['By number of hops', hopLines(aggregate)],
    ['Cost', ['Of the answers; queue, tokens and calls are means.', '', ...costTable(aggregate)]],
    ...optional(USE_TITLE, useLines(aggregate)),
    ['Judges', judgeLines(aggregate)],
    ...optional('Where scores scatter', varianceLines(aggregate)),
    ['Missing figures and their reasons', gapLines(aggregate)],
    ['Failed answers', failedLines(failed)],
    ['Models and versions', versionLines(aggregate)],
    ['Artifacts', artifactLines(input.artifacts)],
    ['How to read this', [...LEGEND, ...metricGlossaryLines([aggregate])]],
  ]
  const body = sections.flatMap(([title, lines]) => ['', `## ${title}`, '', ...lines])
  const caution = modelCaution([aggregate])
  const cloud = cloudWords(cloudApproaches([aggregate]))
  const [headline, ...rest] = findings(aggregate, verdictsOf([aggregate])[0]!).map(md)
  return [
    `# ${md(dataset.label)}`,
    '',
    md(dataset.description),
    ...(caution === null ? [] : ['', `> ${md(caution)}`]),
    ...(cloud === null ? [] : ['', `> ${md(cloud)}`]),
    '',
    `**${headline!}**`,
    '',
    ...rest.map((sentence) => `- ${sentence}`),
    ...body,
    '',
  ].join('\n')
}

function useLines(aggregate: Aggregate): string[] {
  const { head, rows } = runUseTable(aggregate, null)
  return rows.length === 0 ? [] : [USE_NOTE, '', ...mdTable(head, rows, columnsFrom(1, head.length))]
}

const optional = (title: string, lines: readonly string[]): [string, readonly string[]][] =>
  lines.length === 0 ? [] : [[title, lines]]

const optionalText = (text: string | null): string[] => (text === null ? [] : [text])

function refusalLines(aggregate: Aggregate): string[] {
  const words = refusalWords(aggregate)
  return words.length === 0 ? [] : ['', `Refused answers, scored like all others: ${md(words.join('; '))}.`]
}

function runLines(aggregate: Aggregate): string[] {
  const { dataset, questions, ingestion, cells } = aggregate
  const unanswerable = questions.filter((question) => !question.answerable).length
  const approaches = aggregate.approaches.map(
    ({ model, flavor }) =>
      approachCode(model) +
      (model === KEYWORD_BASELINE ? ': keyword search alone' : flavor === null ? '' : ' (flavor)'),
  )
  return [
    `- Run ${code(aggregate.run_id)} of dataset ${code(dataset.id)}, level ${dataset.complexity_level} of the ladder`,
    ...optionalText(levelWords(aggregate)).map((words) => `- Level: ${md(words)}`),
    `- ${plural(questions.length, 'question')} from ${code(dataset.questions_file)}, ${unanswerable} of them without an answer in the corpus`,
    ...(aggregate.repeats === 1 ? [] : [`- Every approach answered each question ${aggregate.repeats} times`]),
    `- Approaches: ${approaches.join(', ')}`,
    ...aggregate.unavailable.map(
      ({ model, reason }) => `- ${STATE_SIGNS.not_run} ${code(model)} was unavailable: ${md(reason)}`,
    ),
    `- ${countWords(cells.ok)} of ${plural(cells.expected, 'answer')}, ${cells.error} failed, ${cells.timeout} timed out, ${cells.missing} without a row`,
    ingestion === null
      ? '- No ingestion provenance'
      : `- Corpus ${code(dataset.corpus_path)}: profile ${code(ingestion.profile)}, revision ${code(ingestion.revision)}, content digest ${code(ingestion.content_digest)}, job ${code(ingestion.job_id)}`,
    ...optionalText(ingestionWords(aggregate)).map((words) => `- ${md(words)}`),
  ]
}

/** That the scores below rank no approach, where rules graded them. */
const ruleGraded = (aggregate: Aggregate): string[] =>
  aggregate.metrics.some((metric) => isRuleGraded([aggregate], metric))
    ? [
        'Graded by built-in rules, which do not follow people’s grades: these scores describe the pipeline and rank no approach.',
        '',
      ]
    : []

/** Returns how many contexts the approaches return, and what that means for rank metrics. */
function depthLines(aggregate: Aggregate): string[] {
  const contexts = contextsOf(aggregate)
  if (contexts.length === 0) return []
  const reason = depthReason([aggregate], RETRIEVAL_METRICS)
  const listed = contexts
    .map(
      ({ model, mean, isReported }) => `${code(model)} ${mean.toFixed(1)}${isReported ? ` ${REPORTED_PASSAGES}` : ''}`,
    )
    .join(', ')
  return ['', `Contexts per answer, mean: ${listed}.${reason === null ? '' : ` ${md(reason)}.`}`]
}

function hopLines(aggregate: Aggregate): string[] {
  const present = new Set(metricsOf(aggregate))
  return BY_HOPS.filter((metric) => present.has(metric)).flatMap((metric, index) => [
    ...(index === 0 ? [] : ['']),
    `**${METRIC_LABELS[metric]}**`,
    '',
    ...hopTable(aggregate, metric),
  ])
}

function gapLines(aggregate: Aggregate): string[] {
  const notes = coverageNotes(aggregate, metricsOf(aggregate))
  return notes.length === 0 ? ['Nothing is missing.'] : notes.map(({ sign, text }) => `- ${sign} ${md(text)}`)
}

function failedLines(failed: readonly FailedCell[]): string[] {
  if (failed.length === 0) return ['None.']
  const rows = failed.slice(0, MAX_FAILED_LISTED).map((cell) => [code(cell.query_id), code(cell.model), md(cell.error)])
  const more = failed.length - rows.length
  return [
    ...mdTable(['question', 'approach', 'error'], rows, new Set()),
    ...(more === 0 ? [] : ['', `… and ${countWords(more)} more in the matrix file.`]),
  ]
}

function versionLines({ reproducibility, approaches }: Aggregate): string[] {
  if (reproducibility === null) return ['No row records it.']
  const { runtime, seed } = reproducibility
  const { repository, platform, models } = runtime
  const graders = [
    ...new Set(
      approaches.flatMap(({ evaluation }) => [...evaluation.evaluator_models, ...evaluation.embeddings_models]),
    ),
  ].sort()
  const revision = repository.revision === null ? 'unknown revision' : `revision ${code(repository.revision)}`
  const change =
    repository.patch_sha256 === null
      ? 'with files that it does not hold'
      : `with files that it does not hold ${code(repository.patch_sha256)}`
  const lines = [
    `- Repository: ${revision}${repository.dirty === null ? ', uncommitted changes unknown' : repository.dirty ? `, ${change}` : ''}`,
    `- Platform: version ${platform.version === null ? 'unknown' : code(platform.version)}${platform.revision === null ? '' : `, revision ${code(platform.revision)}`}, gateway ${code(runtime.gateway)}`,
    `- Seed: ${code(seed)}`,
    `- Graded by: ${graders.length === 0 ? 'no grader' : graders.map(code).join(', ')}`,
  ]
  if (models === null) return [...lines, '- Models: not reported by the platform']
  const rows = Object.entries(models.roles)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([role, { backend, model }]) => [code(role), code(backend), code(model)])
  return [...lines, `- Models: set ${code(models.set)}`, '', ...mdTable(['role', 'backend', 'model'], rows, new Set())]
}

function artifactLines(artifacts: readonly ReportArtifact[]): string[] {
  const rows = artifacts.map(({ name, sizeBytes, sha256 }) => [
    `[${code(name)}](${encodeURI(name)})`,
    countWords(sizeBytes),
    code(sha256),
  ])
  return mdTable(['file', 'bytes', 'SHA-256'], rows, new Set([1]))
}

const LEGEND = [
  `- ${Object.entries(STATE_SIGNS)
    .map(([state, sign]) => `${sign} ${STATE_WORDS[state as keyof typeof STATE_WORDS]}`)
    .join(', ')}. A state is ok when every question that can be scored at all is scored.`,
  '- `0.83 [0.77, 0.88] (21/24)` is a mean over 21 scored answers of 24 expected ones with its 95 % interval. What is missing is never counted as 0.',
  '- Questions that share gold documents are one independent group. Where that leaves fewer than eight groups, those that share gold passages are one, and intervals are for new questions about these documents only; with fewer than eight of these there is no interval. Means of scores have Wilson’s interval on the effective sample size, differences Student’s t on the error between groups with a pseudo-observation of each sign, latencies and agreement 10,000 resamples from the seed of the run (decision 060).',
  '- A pair is decided when its p-value, of the same t and corrected by Holm over all pairs of the metric, is at most 0.05 and its interval excludes 0. A pair is equivalent when a test shows that its difference is within 10 points (of a grade, a tenth of its scale). An open pair was tested without either outcome, which is no evidence that two approaches are equal; a pair without an interval was not tested. The decisions of the primary metric are results; those of any other metric are exploratory.',
  `- ${UNEQUAL_SIGN} marks means that rest on different questions and so do not compare; the mean over the questions that all have is under “Missing figures and their reasons”.`,
  '- Quantiles interpolate linearly between neighbours; latencies are those of answers, without queue and back-off.',
]
