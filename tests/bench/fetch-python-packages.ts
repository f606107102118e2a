/**
 * Makes two question sets of documents that we did not write, from the Python package index: descriptions of packages, and what their authors say
 * that each is for. Nothing of them is stored in this repository.
 *
 *     node tests/bench/fetch-python-packages.ts FOLDER [PACKAGES]
 *     npm run bench -- --only retrieval --data FOLDER/python-summaries --data FOLDER/python-requirements
 *
 * `python-summaries` asks with a package's one-line summary, and gold is its description without that line. `python-requirements` takes two hops:
 * it asks about a package by the summary of another one, whose description names it and which needs it, so that the words of the question lead to
 * the first document only. Packages are found from a few well-known ones on, along their requirements, so the sets are those of the day.
 */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const INDEX = 'https://pypi.org/pypi'
/** Large applications of different fields, whose requirements lead to most of the well-known packages. */
const SEEDS = [
  'apache-airflow', 'jupyterlab', 'scrapy', 'mlflow', 'home-assistant-chip-core', 'sphinx', 'ansible-core', 'celery', 'spyder', 'streamlit',
  'wagtail', 'astropy', 'biopython', 'dask', 'great-expectations', 'fastapi', 'scanpy', 'geopandas', 'mitmproxy', 'borgbackup', 'buildbot',
  'napari', 'pyinstaller', 'poetry', 'conan', 'kedro', 'prefect', 'salt', 'textual', 'yt-dlp', 'zulip', 'nikola', 'odoorpc', 'qiskit',
] // prettier-ignore
const SHORTEST_TEXT = 1500
const LONGEST_TEXT = 12_000
const FEWEST_WORDS = 5
const LOADS_AT_ONCE = 8

const Answer = z.looseObject({
  info: z.looseObject({
    name: z.string(),
    summary: z.string().nullable(),
    description: z.string().nullable(),
    requires_dist: z.array(z.string()).nullable(),
  }),
})

interface Package {
  name: string
  summary: string
  text: string
  /** Any installation needs these. */
  needs: string[]
  /** Some installation needs these; the crawl goes on there. */
  leadsTo: string[]
}

interface Question {
  id: string
  question: string
  gold: { title: string }[]
}

const keyOf = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

const wordsOf = (text: string): string => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `

async function fetchPackage(name: string): Promise<Package | null> {
  const response = await fetch(`${INDEX}/${name}/json`, { signal: AbortSignal.timeout(30_000) })
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${INDEX}/${name}/json answered ${response.status}`)
  const { info } = Answer.parse(await response.json())
  const lines = info.requires_dist ?? []
  const namesOf = (those: readonly string[]): string[] => [
    ...new Set(those.map((line) => keyOf(/^[\w.-]+/.exec(line)![0]))),
  ]
  return {
    name: info.name,
    summary: (info.summary ?? '').trim(),
    text: (info.description ?? '').trim(),
    needs: namesOf(lines.filter((line) => !/extra\s*==/.test(line))),
    leadsTo: namesOf(lines),
  }
}

/** Follows requirements, breadth first and in the order of their names, until so many packages are known. */
async function crawl(count: number): Promise<Package[]> {
  const seen = new Set<string>()
  const found: Package[] = []
  let next = SEEDS
  while (next.length > 0 && found.length < count) {
    const wave = [...new Set(next)].filter((name) => !seen.has(name)).toSorted()
    next = []
    for (let at = 0; at < wave.length && found.length < count; at += LOADS_AT_ONCE) {
      const names = wave.slice(at, at + LOADS_AT_ONCE)
      for (const name of names) seen.add(name)
      const loaded = (await Promise.all(names.map(fetchPackage))).filter((one) => one !== null)
      found.push(...loaded)
      next.push(...loaded.flatMap(({ leadsTo }) => leadsTo))
    }
  }
  return found
}

/** The description without the lines that repeat the summary word for word. */
function withoutSummary({ text, summary }: Package): string {
  const sentence = wordsOf(summary)
  return text
    .split('\n')
    .filter((line) => !wordsOf(line).includes(sentence))
    .join('\n')
}

/** States whether a summary says enough to be asked with, and does not give the name away. */
const isAsked = ({ name, summary }: Package): boolean =>
  summary.split(/\s+/).length >= FEWEST_WORDS && !wordsOf(summary).includes(wordsOf(name))

const mentions = (text: string, name: string): boolean => wordsOf(text).includes(wordsOf(name))

function summaryQuestions(packages: readonly Package[]): Question[] {
  return packages.filter(isAsked).map(({ name, summary }) => ({ id: name, question: summary, gold: [{ title: name }] }))
}

/** One question of a package: about the one requirement that its description names, where there is no other. */
function requirementQuestions(packages: readonly Package[], texts: ReadonlyMap<string, string>): Question[] {
  const byKey = new Map(packages.map((one) => [keyOf(one.name), one]))
  return packages.filter(isAsked).flatMap((one) => {
    const named = one.needs.flatMap((key) => {
      const needed = byKey.get(key)
      return needed !== undefined && needed !== one && mentions(texts.get(one.name)!, needed.name) ? [needed] : []
    })
    const needed = named.length === 1 ? named[0]! : null
    if (needed === null || mentions(one.summary, needed.name)) return []
    const purpose = one.summary.replace(/[.\s]+$/, '')
    return [
      {
        id: `${one.name} needs ${needed.name}`,
        question: `A Python package is described as "${purpose}". What is the package for that it is built on?`,
        gold: [{ title: one.name }, { title: needed.name }],
      },
    ]
  })
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

async function write(folder: string, corpus: string, questions: readonly Question[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'corpus.jsonl'), corpus)
  await writeFile(join(folder, 'questions.jsonl'), lines(questions))
  const digest = createHash('sha256').update(corpus).update(lines(questions)).digest('hex').slice(0, 12)
  console.log(`${folder}: ${questions.length} questions, SHA-256 ${digest}`)
}

const [folder, count = '2000'] = process.argv.slice(2)
if (folder === undefined || !/^[1-9]\d*$/.test(count)) {
  console.error('usage: node tests/bench/fetch-python-packages.ts FOLDER [PACKAGES]')
  process.exit(2)
}
const found = await crawl(Number(count))
const texts = new Map(found.map((one) => [one.name, withoutSummary(one)]))
const packages = found.filter(({ name }) => {
  const { length } = texts.get(name)!
  return length >= SHORTEST_TEXT && length <= LONGEST_TEXT
})
const corpus = lines(packages.map(({ name }) => ({ title: name, text: texts.get(name)! })))
console.log(`${found.length} packages found, ${packages.length} with a description of a fit length`)
await write(join(folder, 'python-summaries'), corpus, summaryQuestions(packages))
await write(join(folder, 'python-requirements'), corpus, requirementQuestions(packages, texts))
