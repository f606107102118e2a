import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { IndexProblem } from '../../contract/control/run-index/upkeep.ts'
import { ControlErrorCode } from '../../contract/control/control-error.ts'
import { ServiceStateName } from '../../contract/control/services.ts'
import { AnswerScores } from '../../contract/evidence/answer-scores.ts'
import { CellErrorType, CellStatus } from '../../contract/evidence/canonical-row.ts'
import { EvaluationErrorType, EvaluationStatus, NotEvaluableReason } from '../../contract/evidence/evaluation-result.ts'
import { JudgeErrorCode } from '../../contract/evidence/judgments.ts'
import { RetrievalScores } from '../../contract/evidence/retrieval-scores.ts'
import { guideBlocks, guideSpans, type GuideBlock } from '../../renderer/features/guide/guide-markdown.ts'
import { benchmarkPage, benchmarkPages, figuresPage } from '../bench/figures-page.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const GUIDE = 'docs/guide'
const read = (file: string): Promise<string> => readFile(join(PROJECT_ROOT, file), 'utf8')
const pages = (await readdir(join(PROJECT_ROOT, GUIDE))).map((name) => `${GUIDE}/${name}`)
const decisions = (await readdir(join(PROJECT_ROOT, 'docs/decisions'))).filter((name) => name !== 'README.md')
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/ARCHITECTURE.md',
  'docs/services.md',
  'docs/clients.md',
  'docs/decisions/README.md',
  ...decisions.map((name) => `docs/decisions/${name}`),
  ...pages,
]

/** The options of an enum, also of a nullable one. */
const optionsOf = (schema: z.ZodType): string[] => {
  const inner = 'unwrap' in schema ? (schema as z.ZodNullable<z.ZodType>).unwrap() : schema
  return [...(inner as unknown as { options: readonly string[] }).options]
}

/** Sources in which codes are declared that only have a TypeScript type. */
const sources = await Promise.all(
  (await Promise.all(['main', 'providers/platform/rag'].map(filesBelow)))
    .flat()
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map(read),
)

/** The literals of the first match in any of the sources. */
function literalsOf(pattern: RegExp): string[] {
  const declaration = sources.map((source) => pattern.exec(source)?.[1]).find((text) => text !== undefined) ?? ''
  return [...declaration.matchAll(/'(\w+)'/g)].map(([, code]) => code!)
}
const unionOf = (type: string): string[] => literalsOf(new RegExp(`export type ${type} =([^\\n]*(?:\\n  [^\\n]*)*)`))
const memberOf = (type: string): string[] =>
  literalsOf(new RegExp(`export interface ${type} \\{(?:\\n.*)*?\\n  code:([^:]*)\\n  \\w+:`))

/** Codes of errors that have a class of their own. */
const classCodes = sources.flatMap((source) =>
  [...source.matchAll(/readonly code(?:: \w+)? = '(\w+)'/g)].map(([, code]) => code!),
)

const codes: Record<string, string[]> = {
  'control API': ControlErrorCode.options,
  services: ServiceStateName.options,
  cells: [...CellErrorType.options, ...CellStatus.options],
  evaluation: [...EvaluationStatus.options, ...EvaluationErrorType.options, ...NotEvaluableReason.options],
  'retrieval scores': optionsOf(RetrievalScores.shape.reason),
  'answer scores': optionsOf(AnswerScores.shape.reason),
  judges: JudgeErrorCode.options,
  'index verification': optionsOf(IndexProblem.shape.code),
  'judge panel': unionOf('JudgePanelErrorCode'),
  reports: unionOf('ReportErrorCode'),
  evidence: unionOf('EvidenceErrorCode'),
  'refused evidence': memberOf('EvidenceRefusal'),
  'evidence notices': memberOf('EvidenceNotice'),
  'steps of a run': classCodes,
  index: unionOf('RunIndexErrorCode'),
  gateway: unionOf('RagErrorCode'),
}

describe('the guide', () => {
  it.each(Object.entries(codes))(
    'explains every error code of %s on the page Troubleshooting',
    async (_area, listed) => {
      expect(listed.length).toBeGreaterThan(0)
      const rows = (await read(`${GUIDE}/troubleshooting.md`)).split('\n').map((line) => line.split(' | ')[0]!)
      const explained = new Set(rows.flatMap((head) => [...head.matchAll(/`(\w+)`/g)].map(([, code]) => code!)))
      expect(listed.filter((code) => !explained.has(code))).toEqual([])
    },
  )

  it.each(documents)('%s links only to files and headings that exist', async (page) => {
    const broken: string[] = []
    for (const [, target] of (await read(page)).replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue
      const [path = '', heading] = target!.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      const isThere = existsSync(join(PROJECT_ROOT, file))
      const headings = isThere && heading !== undefined ? await headingsOf(file) : []
      if (!isThere || (heading !== undefined && !headings.includes(heading))) broken.push(target!)
    }
    expect(broken).toEqual([])
  })

  it.each(documents)('%s names only scripts and commands that exist', async (page) => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
    const text = await read(page)
    const commands = new Set(
      (await readdir(join(PROJECT_ROOT, 'main/cli/commands'))).map((name) => name.replace(/\.ts$/, '')),
    )
    const unknown = [
      ...[...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name!).filter((name) => !(name in scripts)),
      ...[...text.matchAll(/rag-ladder -- ([a-z][\w-]*)/g)]
        .map(([, name]) => name!)
        .filter((name) => name !== 'help' && !commands.has(name)),
    ]
    expect(unknown).toEqual([])
  })

  it.each(pages)('%s leaves no Markdown signs in the texts of the page Guide', async (page) => {
    const texts = textsOf(guideBlocks(await read(page))).flatMap(guideSpans)
    expect(texts.filter(({ kind, text }) => kind === 'text' && /`|\*\*|\]\(|^\||^#/.test(text))).toEqual([])
  })

  it('lists every page in its table of contents', async () => {
    const contents = await read(`${GUIDE}/README.md`)
    const names = pages.map((page) => page.slice(GUIDE.length + 1)).filter((name) => name !== 'README.md')
    expect(names.filter((name) => !contents.includes(`](${name})`))).toEqual([])
  })
})

it.each(decisions)('decision %s has Status, Context, Decision and Consequences, in this order', async (name) => {
  const text = await read(`docs/decisions/${name}`)
  expect(text).toMatch(/^# \d{3} \S/)
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(['Status', 'Context', 'Decision', 'Consequences'])
})

describe('numbers of decisions', async () => {
  const index = await read('docs/decisions/README.md')
  const moved = [...index.matchAll(/^\| ([\d, ]+) \| (\d{3}) \|$/gm)].map(([, old, now]) => ({
    old: old!.split(', '),
    now: now!,
  }))
  const numbers = decisions.map((name) => name.slice(0, 3))
  const known = new Set([...numbers, ...moved.flatMap(({ old }) => old)])

  it('belong to one page each, and those of a page that joined another lead to a page', () => {
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(moved.length).toBeGreaterThan(0)
    expect(moved.filter(({ now }) => !numbers.includes(now))).toEqual([])
    expect(moved.flatMap(({ old }) => old).filter((number) => numbers.includes(number))).toEqual([])
  })

  it('are all in the index', () => {
    expect(decisions.filter((name) => !index.includes(`](${name})`))).toEqual([])
  })

  it('that code and documents name are known', async () => {
    const folders = ['bin', 'build', 'charts', 'contract', 'core', 'docs', 'main', 'providers', 'renderer', 'tests']
    const files = (await Promise.all(folders.map(filesBelow))).flat().filter((file) => /\.(m?ts|tsx|md)$/.test(file))
    const named = await Promise.all(
      files.map(async (file) =>
        [...(await read(file)).matchAll(/\bdecisions?[ /]((?:\d{2,3}(?:, | and |(?!\d)))+)/gi)].flatMap(([, list]) =>
          list!.match(/\d+/g)!.map((number) => ({ file, number: number.padStart(3, '0') })),
        ),
      ),
    )
    expect(named.flat().length).toBeGreaterThan(20)
    expect(named.flat().filter(({ number }) => !known.has(number))).toEqual([])
  })
})

it('the page of a benchmark names the day and the commit that it was measured at, also one with changes', () => {
  const COMMIT = '0123456789'.repeat(4)
  const line = (revision: string | null): string => benchmarkPage('plan', [], revision).split('\n')[2]!
  expect(line(COMMIT)).toMatch(/^\d{4}-\d\d-\d\d, commit 01234567, \d+ processors/)
  expect(line(`${COMMIT}-dirty`)).toContain(', commit 01234567-dirty, ')
  expect(line(null)).toContain(', commit unknown, ')
})

it('the page of figures is the one that the pages of the benchmarks give, with at most 200 lines', async () => {
  const page = await read('docs/figures.md')
  expect(page).toBe(figuresPage(await benchmarkPages()))
  expect(page.split('\n').length).toBeLessThanOrEqual(200)
})

function textsOf(blocks: readonly GuideBlock[]): string[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case 'list':
        return block.items.flatMap(textsOf)
      case 'table':
        return [block.head, ...block.rows].flat()
      case 'code':
        return []
      case 'heading':
      case 'paragraph':
        return [block.text]
    }
  })
}

async function headingsOf(file: string): Promise<string[]> {
  return [...(await read(file)).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(join(PROJECT_ROOT, folder), { recursive: true })
  return names.map((name) => join(folder, name))
}
