import { join } from 'node:path'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { durationWords } from '../../../contract/words.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { dataTable, h, num, raw, type Cell, type Markup } from '../html/markup.ts'
import { PAGE_STYLE } from '../html/page-style.ts'
import { code, md, mdTable } from '../markdown/markdown-text.ts'
import { qualityWords, tuningSentence, type TuningResult } from './tuning-result.ts'
import {
  callWords,
  heatMap,
  ranked,
  SETTING_HEAD,
  settingCells,
  shadeOf,
  valueText,
  type HeatMap,
} from './tuning-tables.ts'

/** Pages need nothing from anywhere, and run nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** Describes the tuning by line: name and text. */
export function tuningFacts(result: TuningResult): [name: string, text: string][] {
  const { plan, development, holdout, opening, wall_ms: wall } = result
  const { label, definition } = metricOfId(plan.metric)
  return [
    ['Dataset', plan.dataset],
    ['Approach', plan.alias],
    ['Metric', `${label}: ${definition}`],
    ['Text handed over', `at most ${plan.context_budget} tokens in every trial`],
    ['Search', `${plan.search}, ${plan.settings.length - 1} settings of ${plan.tuned.join(', ')}, seed ${plan.seed}`],
    ['Development', `${development.questions} questions in ${development.clusters} groups`],
    [
      'Holdout',
      `${holdout.questions} questions in ${holdout.clusters} groups, ${opening === null ? 'sealed' : opening === 1 ? 'opened once' : `opened ${opening} times: corrected`}`,
    ],
    ['Calls', `${callWords(result)}, in ${durationWords(wall)}`],
  ]
}

/** The result of a tuning as Markdown; `names` are the parameters of the map, the first two that have one unless given. */
export function tuningMarkdown(result: TuningResult, names: readonly string[] | null = null): string {
  const map = heatMap(result, names)
  return [
    `# Tuning ${md(result.name)}`,
    '',
    md(tuningSentence(result)),
    '',
    ...mdTable(
      ['', ''],
      tuningFacts(result).map(([name, text]) => [name, md(text)]),
      new Set(),
    ),
    '',
    '## Settings on development',
    '',
    ...mdTable(
      [...SETTING_HEAD],
      ranked(result).map((each) => settingCells(each, result).map((cell, at) => (at === 0 ? code(cell) : md(cell)))),
      new Set([1, 2, 3, 4, 5]),
    ),
    '',
    ...(map === null
      ? []
      : [
          `## ${md(map.names[0])} and ${md(map.names[1])}`,
          '',
          'Mean over all settings with both values.',
          '',
          ...mdTable(
            [`${md(map.names[0])} ↓ ${md(map.names[1])} →`, ...map.columns.map((value) => md(valueText(value)))],
            map.rows.map((value, at) => [
              md(valueText(value)),
              ...map.cells[at]!.map((cell) =>
                cell === null ? '–' : boldBest(map, cell, qualityWords(result.plan, cell)),
              ),
            ]),
            new Set(map.columns.map((_, at) => at + 1)),
          ),
          '',
        ]),
  ].join('\n')
}

const boldBest = (map: HeatMap, cell: number, text: string): string => (cell === map.high ? `**${text}**` : text)

/** The same as one page that needs no network. */
export function tuningPage(result: TuningResult, names: readonly string[] | null = null): string {
  const map = heatMap(result, names)
  const head = SETTING_HEAD.map((content, at) => ({ content, numeric: at > 0 && at < 6 }))
  const page = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      {},
      h('meta', { charset: 'utf-8' }),
      h('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', {}, `Tuning ${result.name}`),
      h('style', {}, raw(PAGE_STYLE)),
    ),
    h(
      'body',
      {},
      h('header', {}, h('h1', {}, `Tuning ${result.name}`), h('p', {}, tuningSentence(result))),
      h(
        'main',
        {},
        dataTable(
          'What was tuned',
          [{ content: '' }, { content: '' }],
          tuningFacts(result).map(([name, text]) => ({ head: name, cells: [{ content: text }] })),
        ),
        h('h2', {}, 'Settings on development'),
        dataTable(
          'Settings, best first',
          head,
          ranked(result).map((each) => {
            const [first, ...cells] = settingCells(each, result)
            return { head: first!, cells: cells.map((cell, at) => (at < 5 ? num(cell) : { content: cell })) }
          }),
        ),
        map === null ? null : mapMarkup(map, result),
      ),
      h('footer', {}, 'Written by rag-ladder from the trials of this tuning.'),
    ),
  )
  return `<!doctype html>\n${page.html}\n`
}

function mapMarkup(map: HeatMap, result: TuningResult): Markup[] {
  const [rowName, columnName] = map.names
  // The figure is in every cell: the shade only helps to find it.
  const cell = (value: number | null): Cell =>
    value === null
      ? num('–')
      : {
          ...num(qualityWords(result.plan, value)),
          style: `background: rgb(31 111 235 / ${(0.05 + 0.4 * shadeOf(map, value)).toFixed(2)})`,
        }
  const table = dataTable(
    'Mean over all settings with both values',
    [
      { content: `${rowName} ↓ ${columnName} →` },
      ...map.columns.map((value) => ({ content: valueText(value), numeric: true })),
    ],
    map.rows.map((value, at) => ({ head: valueText(value), cells: map.cells[at]!.map(cell) })),
  )
  return [h('h2', {}, `${rowName} and ${columnName}`), table]
}

export async function writeTuningReport(
  folder: string,
  result: TuningResult,
  names: readonly string[] | null = null,
): Promise<void> {
  await writeAtomic(join(folder, 'report.md'), tuningMarkdown(result, names))
  await writeAtomic(join(folder, 'report.html'), tuningPage(result, names))
}
