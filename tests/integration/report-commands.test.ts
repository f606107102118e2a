import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { rowId } from '../../main/evidence/rows/row-id.ts'
import { evidenceBytes, writeRun } from '../helpers/report-project.ts'
import { fixtureDataset, goldenRows, REPORT_RUN } from '../helpers/report-rows.ts'

const dataset = fixtureDataset('smoke', 'Smoke', 0)
const STACK = /\n\s+at /
let dir: string
let good: string
let mixed: string
/** With another run beside the golden one, of which only the evidence is there. */
let several: string
const OTHER_RUN = 'other-2026-02'
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'report-commands-'))
  good = join(dir, 'good')
  mixed = join(dir, 'mixed')
  await writeRun(good, dataset)
  await cp(good, mixed, { recursive: true })
  several = join(dir, 'several')
  await cp(good, several, { recursive: true })
  const others = goldenRows(dataset).map((row) => ({
    ...row,
    run_id: OTHER_RUN,
    row_id: rowId({
      ...row,
      run_id: OTHER_RUN,
      dataset_id: row.dataset.id,
      question_id: row.question.id,
      model: row.approach.model,
    }),
  }))
  await writeFile(artifactFiles(several, OTHER_RUN, dataset.id).evidence, evidenceBytes(others))
  await writeFile(join(mixed, 'torn-smoke-evidence.jsonl'), '{"schema_version":1')
  await writeFile(join(mixed, 'bad-smoke-evidence.jsonl'), 'x\ny\n')
  await writeFile(join(mixed, 'old-matrix.json'), '{"cells":[{"query_id":"q1","model":"vanilla-rag","ok":true}]}')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('a folder with files that cannot be used', () => {
  it('summarize lists them with their reasons, prints everything else and exits with 4', async () => {
    const csv = join(dir, 'all.csv')
    const result = await runCli(['summarize', '--results', mixed, '--csv-output', csv])
    expect([result.code, STACK.test(result.stderr)]).toEqual([4, false])
    expect(result.stderr).toContain('2 files could not be used')
    expect(result.stderr).toContain('bad-smoke-evidence.jsonl: 1: not JSON (the first of 2 problems)')
    expect(result.stderr).toContain('torn-smoke-evidence.jsonl: 1: the last line has no end')
    expect(result.stdout).toContain('vanilla-rag')
    expect(result.stdout).toContain('historical snapshot old, dataset old')
    expect(await readFile(csv, 'utf8')).toContain('hybrid-rag')
  })

  it('writes a line per cell with question, answer and every score or its state', async () => {
    const cells = join(dir, 'cells.csv')
    const result = await runCli(['summarize', '--results', good, '--cells-output', cells])
    expect(result.code).toBe(0)
    const [head, ...lines] = (await readFile(cells, 'utf8')).trim().split('\n')
    expect(head).toMatch(
      /^run_id,dataset_id,question_id,question,model,repeat,status,latency_ms,attempts,faithfulness,/,
    )
    expect(head).toMatch(/,tokens_in,tokens_out,tokens_cached,tokens_estimated,cost,grading_cost,currency$/)
    expect(lines.filter((line) => line.startsWith(`${REPORT_RUN},smoke,`))).toHaveLength(goldenRows(dataset).length)
    expect(lines.find((line) => line.includes('graph-rag'))).toContain('unevaluable: answer_only')
    expect(lines.some((line) => line.includes('Question 1 of smoke?') && line.includes('Answer of hybrid-rag'))).toBe(
      true,
    )
  })

  it('computes further figures of stored rows where they are asked for, and only then', async () => {
    const csv = join(dir, 'figures.csv')
    const figures = ['--figures', 'rank_biased_overlap,facts_per_1000_tokens', '--csv-output', csv]
    const result = await runCli(['summarize', '--results', good, ...figures])
    expect([result.code, result.stderr]).toEqual([0, ''])
    expect(result.stdout).toContain(': rank-biased overlap\n  vanilla-rag and hybrid-rag')
    const lines = (await readFile(csv, 'utf8')).split('\n')
    const overlap = lines.find((line) => line.includes('rank_biased_overlap'))!
    expect(overlap).toContain('vanilla-rag')
    const plain = await runCli(['summarize', '--results', good, '--csv-output', csv])
    expect(plain.stdout).not.toContain('overlap')
    expect((await readFile(csv, 'utf8')).split('\n')).toEqual(
      lines.filter((line) => !/rank_biased_overlap|facts_per_1000_tokens/.test(line)),
    )
    const wrong = await runCli(['summarize', '--results', good, '--figures', 'rank_biased_overlp'])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('did you mean rank_biased_overlap?') as string,
    ])
  })

  describe('evidence whose rows were changed by hand', () => {
    const lines = goldenRows(dataset).map((row) => evidenceBytes([row]).toString())
    const unsealed = (line: string): string => line.replace(/,"checksum":"[0-9a-f]{8}"\}\n$/, '}\n')
    const { evidence, evaluation } = artifactFiles('results', REPORT_RUN, dataset.id)
    const verify = (place: string) => runCli(['verify', join(place, evidence), join(place, evaluation)])
    let place: string
    beforeEach(async () => {
      place = await mkdtemp(join(dir, 'changed-'))
      await cp(several, join(place, 'results'), { recursive: true })
    })

    it('verify, summarize, gate, report and export refuse a file in which some rows have no checksum', async () => {
      await writeFile(join(place, evidence), [unsealed(lines[0]!), ...lines.slice(1)].join(''))
      const found = await verify(place)
      expect([found.code, found.stdout]).toEqual([
        4,
        expect.stringContaining('line 1 at byte 0 cannot be used: its checksum is missing') as string,
      ])
      const results = ['--results', join(place, 'results')]
      for (const command of [
        ['summarize', ...results],
        ['report', ...results, '--run-id', REPORT_RUN, '--output', join(place, 'page.html')],
        ['gate', ...results, '--run-id', OTHER_RUN, '--against', REPORT_RUN],
        ['export', 'results', ...results],
        ['export', 'results', ...results, '--run-id', REPORT_RUN],
      ]) {
        const { code, stdout, stderr } = await runCli(command)
        expect([command[0], code]).toEqual([command[0], 4])
        expect(stdout + stderr).toContain('a checksum is missing')
      }
    })

    it('verify warns of a file of an earlier version in which no row has a checksum', async () => {
      await writeFile(join(place, evidence), lines.map(unsealed).join(''))
      const { code, stdout } = await verify(place)
      expect(code).toBe(0)
      expect(stdout).toContain(`${lines.length} rows without checksum: a changed figure in them would not be noticed`)
    })

    it('verify names rows that were removed after the summary beside the file was made', async () => {
      expect(await verify(place)).toMatchObject({ code: 0 })
      await writeFile(join(place, evidence), lines.slice(0, -6).join(''))
      const { code, stdout } = await verify(place)
      expect(code).toBe(4)
      expect(stdout).toContain(
        `6 rows are missing: ${REPORT_RUN}-smoke-evaluation.json was made from ${lines.length}, the file holds ${lines.length - 6}`,
      )
      expect(stdout).toContain(`rag-ladder ladder --no-cold-reset --run-id ${REPORT_RUN} --dataset smoke`)
    })
  })

  it('verify refuses what is no file instead of waiting for it', async () => {
    const result = await runCli(['verify', '/dev/null'])
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('is not a regular file') as string])
  })

  it('report writes the page of the run, names the files in it and exits with 4', async () => {
    const page = join(dir, 'page.html')
    const result = await runCli(['report', '--results', mixed, '--output', page])
    expect([result.code, STACK.test(result.stderr)]).toEqual([4, false])
    const text = await readFile(page, 'utf8')
    expect(text).toContain('Files that were left out')
    expect(text).toContain('torn-smoke-evidence.jsonl')
  })

  it('a folder with nothing usable exits with 4, a missing one with 2', async () => {
    const only = await mkdtemp(join(dir, 'only-'))
    await writeFile(join(only, 'torn-evidence.jsonl'), '{')
    const [torn, missing] = await Promise.all([
      runCli(['summarize', '--results', only]),
      runCli(['summarize', '--results', join(dir, 'none')]),
    ])
    expect([torn.code, torn.stderr]).toEqual([4, expect.stringContaining('torn-evidence.jsonl') as string])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no such folder') as string])
  })

  it.each(['judge run --judge-models builtin-lexical-support,builtin-semantic-match', 'publish'])(
    '%s refuses torn evidence with 4 and one sentence',
    async (command) => {
      const results = await mkdtemp(join(dir, 'torn-'))
      await cp(good, results, { recursive: true })
      await appendFile(join(results, `${REPORT_RUN}-smoke-evidence.jsonl`), '{"torn')
      const args = [...command.split(' '), '--run-id', REPORT_RUN, '--dataset', 'smoke', '--results', results]
      const result = await runCli(args)
      expect([result.code, STACK.test(result.stderr)]).toEqual([4, false])
      // Once, on either output: a failed step is printed where the steps are.
      const found = (result.stdout + result.stderr).match(/evidence\.jsonl(?:: ?\d*:?|:\d+:) the last line/g)
      expect(found).toHaveLength(1)
    },
  )
})

describe('a folder with several runs', () => {
  it('summarize prints each run below its own name, as it prints it alone', async () => {
    const all = await runCli(['summarize', '--results', several])
    expect([all.code, all.stderr]).toEqual([0, ''])
    expect(all.stdout).toContain(`2 runs: ${REPORT_RUN}, ${OTHER_RUN}`)
    for (const run of [REPORT_RUN, OTHER_RUN]) {
      const alone = await runCli(['summarize', '--results', several, '--run-id', run])
      expect(alone.stdout).toMatch(new RegExp(`^\\nRAG Ladder · run ${run} · 1 dataset × `))
      expect(all.stdout).toContain(alone.stdout)
    }
  })

  it('report without --output writes the page of the named run beside its results and prints its path', async () => {
    const unnamed = await runCli(['report', '--results', several])
    expect([unnamed.code, unnamed.stderr]).toEqual([
      2,
      expect.stringContaining(`${REPORT_RUN}, ${OTHER_RUN}`) as string,
    ])
    const named = await runCli(['report', '--results', several, '--run-id', OTHER_RUN])
    const page = join(several, `${OTHER_RUN}-report.html`)
    expect([named.code, named.stderr, named.stdout]).toEqual([
      0,
      '',
      expect.stringContaining(`${page}  sha256 `) as string,
    ])
    expect(await readFile(page, 'utf8')).toContain(OTHER_RUN)
    // It is not an artifact: what reads the folder passes over it.
    expect((await runCli(['report', '--results', several, '--run-id', OTHER_RUN])).code).toBe(0)
  })
})

describe('a gate between two runs', () => {
  const gate = (...more: string[]) =>
    runCli(['gate', '--results', several, '--run-id', OTHER_RUN, '--against', REPORT_RUN, ...more])

  it('ends with exit code 7 where few questions leave it open, and writes what a build server reads', async () => {
    const [junit, summary] = [join(dir, 'gate.xml'), join(dir, 'gate.md')]
    const result = await gate('--junit', junit, '--summary', summary)
    expect([result.code, result.stderr]).toEqual([7, ''])
    expect(result.stdout).toMatch(/▲ smoke {2}vanilla-rag {2}(open|too few questions): \d\.\d\d against/)
    expect(result.stdout).toMatch(/The gate cannot tell: \d of \d checks \(/)
    expect(await readFile(junit, 'utf8')).toMatch(/<testsuite name="smoke" tests="\d" failures="0" errors="\d">/)
    expect(await readFile(summary, 'utf8')).toContain('| dataset | approach | state |')
  })

  it('passes a run with the same answers where open checks are allowed', async () => {
    const models = ['--models', 'vanilla-rag']
    const result = await gate('--allow-open', ...models)
    expect([result.code, result.stdout.trim().split('\n').at(-1)]).toEqual([
      0,
      'The gate passed: 1 check, of which 1 could not tell and may pass',
    ])
  })

  it('names what it does not find', async () => {
    const wrong = async (...args: string[]): Promise<string> => {
      const result = await runCli(['gate', '--results', several, ...args])
      expect(result.code).toBe(2)
      return result.stderr
    }
    expect(await wrong('--run-id', OTHER_RUN)).toContain('--against: name the run')
    expect(await wrong('--run-id', OTHER_RUN, '--against', REPORT_RUN, '--models', 'vanilla-rag,nope')).toMatch(
      /--models: neither other-2026-02 nor golden-2026-01 has answers of nope; their approaches are .*vanilla-rag/,
    )
    expect(await wrong('--run-id', 'none', '--against', REPORT_RUN)).toContain(
      `its runs are ${REPORT_RUN}, ${OTHER_RUN}`,
    )
    expect(await wrong('--run-id', OTHER_RUN, '--against', OTHER_RUN)).toContain('name another run than --run-id')
    expect(await wrong('--run-id', OTHER_RUN, '--against', REPORT_RUN, '--metric', 'fact_found')).toContain(
      'did you mean facts_found?',
    )
  })
})

describe('all runs of a folder', () => {
  it('become a site with a page for each run, which is written again into its own folder only', async () => {
    const site = join(dir, 'site')
    const result = await runCli(['report', '--results', several, '--site', site])
    expect([result.code, result.stderr]).toEqual([0, ''])
    expect(result.stdout).toContain('index.html  2 runs')
    const index = await readFile(join(site, 'index.html'), 'utf8')
    for (const run of [REPORT_RUN, OTHER_RUN]) {
      expect(index).toContain(`href="runs/${run}.html"`)
      expect(await readFile(join(site, `runs/${run}.html`), 'utf8')).toContain(`RAG Ladder: ${run}`)
    }
    expect((await runCli(['report', '--results', several, '--site', site])).code).toBe(0)
    expect(await readFile(join(site, 'index.html'), 'utf8')).toBe(index)
    const other = join(dir, 'home')
    await mkdir(other)
    await writeFile(join(other, 'index.html'), '<title>My page</title>')
    const refused = await runCli(['report', '--results', several, '--site', other])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('name another folder') as string])
    expect(await readFile(join(other, 'index.html'), 'utf8')).toBe('<title>My page</title>')
    const both = await runCli(['report', '--results', several, '--site', site, '--run-id', OTHER_RUN])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--run-id: --site writes all runs') as string])
  })

  it('become JSON lines, of one run where it is named, and no file is replaced', async () => {
    const file = join(dir, 'results.jsonl')
    const result = await runCli(['export', 'results', '--results', several, '--run-id', OTHER_RUN, '--output', file])
    expect([result.code, result.stderr]).toEqual([0, ''])
    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(new Set(lines.map((line) => (JSON.parse(line) as { run_id: string }).run_id))).toEqual(new Set([OTHER_RUN]))
    const again = await runCli(['export', 'results', '--results', several, '--output', file])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists') as string])
    const gone = await runCli(['export', 'results', '--results', several, '--run-id', 'gone'])
    expect([gone.code, gone.stderr]).toEqual([
      2,
      expect.stringContaining('holds no finished answers of the run gone') as string,
    ])
  })
})
