import { cloudApproaches, cloudWords } from '../../../core/evidence/cloud-use.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Dataset } from '../../../contract/manifests/datasets.ts'
import { UNEQUAL_SIGN } from '../tables/coverage-notes.ts'
import { findings, modelCaution } from '../tables/findings.ts'
import { LADDER_METRICS, leaderLegend, leaderLines, levelLines } from '../markdown/ladder-markdown.ts'
import { code, md, mdTable } from '../markdown/markdown-text.ts'
import { unusableLines, type UnusableFile } from './results-folder.ts'
import { verdictsOf } from '../verdict/verdict.ts'
import { nameWords } from '../words.ts'

/** A dataset of the catalogue with the aggregate of its published run; null when there is none. */
export interface IndexEntry {
  dataset: Dataset
  aggregate: Aggregate | null
  /** The published summary where it cannot be read. */
  unusable?: readonly UnusableFile[]
}

/** The page with charts beside the index. */
export const LADDER_PAGE = 'ladder.html'

/** `README.md` of the results folder: the ladder with a link to each report, and the leaderboards over the levels. */
export function resultsIndex(entries: readonly IndexEntry[]): string {
  const ordered = entries.toSorted((a, b) => a.dataset.complexity_level - b.dataset.complexity_level)
  const published = ordered.flatMap(({ aggregate }) => aggregate ?? [])
  const boards = LADDER_METRICS.flatMap((name) => {
    const lines = leaderLines(published, name)
    return lines.length === 0 ? [] : ['', `## ${nameWords(name)}`, '', ...lines]
  })
  const caution = modelCaution(published)
  const cloud = cloudWords(cloudApproaches(published))
  return [
    '# Results',
    '',
    'Written by `rag-ladder` when a run is published. Each report is complete in itself; the files beside it are its evidence.',
    ...(published.length === 0
      ? []
      : [
          '',
          `[The ladder with charts](${LADDER_PAGE}): one page, readable offline, that compares the files beside it with their hashes when it is served over HTTP; \`rag-ladder verify ${LADDER_PAGE}\` does so anywhere.`,
        ]),
    ...(caution === null ? [] : ['', `> ${md(caution)}`]),
    ...(cloud === null ? [] : ['', `> ${md(cloud)}`]),
    '',
    ...datasetTable(ordered),
    ...fileLines(published),
    ...shortLines(published),
    ...levelLines(published),
    ...boards,
    ...(published.length === 0
      ? []
      : ['', `${leaderLegend(published)} ${UNEQUAL_SIGN} means that a column rests on different questions.`]),
    '',
  ].join('\n')
}

function shortLines(published: readonly Aggregate[]): string[] {
  const verdicts = verdictsOf(published)
  const lines = published.flatMap((aggregate, index) => {
    const [headline, ...rest] = findings(aggregate, verdicts[index]!).map(md)
    return [`- **${headline!}**`, ...rest.map((sentence) => `  - ${sentence}`)]
  })
  return lines.length === 0 ? [] : ['', '## Result', '', ...lines]
}

const fileLines = (published: readonly Aggregate[]): string[] =>
  published.length === 0
    ? []
    : [
        '',
        'Beside each report: `-evidence.jsonl.br` (one synced row per answer), `-evaluation.json` (every figure), `-matrix.json.br` (answers by question), and `-judgments.json.br` (verdicts with reasons and orders) where judges were asked; `brotli -d -k` unpacks them, `rag-ladder verify` reads them as they are. Evaluation and matrix are made from the other two, and can be made again byte for byte.',
      ]

function datasetTable(entries: readonly IndexEntry[]): string[] {
  const rows = entries.map(({ dataset, aggregate, unusable = [] }) => {
    const head = [String(dataset.complexity_level), md(dataset.label)]
    if (aggregate === null) return [...head, md(unusableLines(unusable)[0] ?? 'not published'), '', '', '']
    const { ingestion, cells } = aggregate
    return [
      String(dataset.complexity_level),
      `[${md(dataset.label)}](${dataset.id}.md)`,
      code(aggregate.run_id),
      String(aggregate.questions.length),
      `${cells.ok}/${cells.expected}`,
      ingestion === null ? 'unknown' : code(ingestion.content_digest.slice(0, 12)),
    ]
  })
  return mdTable(['level', 'dataset', 'run', 'questions', 'answers', 'corpus'], rows, new Set([0, 3, 4]))
}
