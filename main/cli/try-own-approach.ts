// One question to an own approach, with everything that a run would get of it, and what a run could not measure.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokensOfTexts } from '../../contract/evidence/context-budget.ts'
import { httpPlan, isHttpApproach, reportsContexts } from '../../contract/manifests/own-approaches.ts'
import { METRICS } from '../../contract/metrics/metrics.ts'
import { isRecord } from '../../core/json.ts'
import { OwnApproachError, type OwnReply } from '../../core/own-approaches/own-reply.ts'
import { openOwnCaller } from '../../core/own-approaches/open-caller.ts'
import type { OwnApproachFile } from '../../core/own-approaches/read-approaches.ts'

const SAMPLE = {
  id: 'sample.md',
  title: 'Sample',
  text: 'The sample harbour is in Falmouth. Its light was built in 1835.\n\nThe keeper of the light lives in the north tower.',
}
const QUESTION = 'Where is the sample harbour?'
const MOST_SHOWN = 5
const MOST_PATHS = 40

/** True where it answered. */
export async function tryOwnApproach(
  root: string,
  file: OwnApproachFile,
  asked: string | null,
  env: Readonly<Record<string, string | undefined>>,
  print: (text: string) => void,
): Promise<boolean> {
  const { approach } = file
  const takesDocuments = !isHttpApproach(approach) && approach.ingest
  const question = asked ?? QUESTION
  const logFolder = await mkdtemp(join(tmpdir(), 'own-approach-'))
  const caller = openOwnCaller(file, { root, logFolder, env })
  print(`Question: ${question}${takesDocuments ? ' (the program got one sample document)' : ''}`)
  const started = performance.now()
  try {
    const corpus = takesDocuments ? { digest: 'sample', documents: () => Promise.resolve([SAMPLE]) } : null
    const reply = await caller.ask({ question, budget: null, corpus })
    describe(reply, (performance.now() - started) / 1000, print)
    for (const line of notEvaluable(file, reply)) print(`Not evaluable: ${line}`)
    return true
  } catch (error) {
    if (!(error instanceof OwnApproachError)) throw error
    print(`No answer: ${error.message}`)
    const paths = pathsIn(caller.lastBody?.())
    if (paths.length > 0) print(`The reply has:\n${paths.map((line) => `  ${line}`).join('\n')}`)
    const log = await readFile(join(logFolder, `${file.name}.log`), 'utf8').catch(() => '')
    if (log !== '') print(`It wrote:\n${log.slice(-2000)}`)
    return false
  } finally {
    await caller.close()
    await rm(logFolder, { recursive: true, force: true })
  }
}

function describe({ answer, contexts, usage }: OwnReply, seconds: number, print: (text: string) => void): void {
  print(answer === null ? 'Answer: none, the model of the run answers from the passages' : `Answer: ${answer}`)
  const tokens = contexts === null ? '' : `, ${tokensOfTexts(contexts.map(({ text }) => text))} tokens of text`
  print(`Passages: ${contexts === null ? 'not reported' : contexts.length}${tokens}`)
  for (const [at, { title, document, score, text }] of (contexts ?? []).slice(0, MOST_SHOWN).entries())
    print(
      `  ${at + 1}. ${document ?? title}${score === null ? '' : ` (${score})`}: ${text.replaceAll(/\s+/g, ' ').slice(0, 120)}`,
    )
  print(`Time: ${seconds.toFixed(2)} s${usage === null ? '' : `; tokens: ${usage.prompt} in, ${usage.completion} out`}`)
}

/** Returns what a run cannot measure of such replies, in sentences. */
function notEvaluable({ approach }: OwnApproachFile, { contexts, usage, answer }: OwnReply): string[] {
  const lines: string[] = []
  const ofContexts = METRICS.filter(({ needs }) => (needs as readonly string[]).includes('contexts')).map(
    ({ label }) => label,
  )
  if (!reportsContexts(approach)) lines.push(`${ofContexts.join(', ')}: it reports no passages`)
  if (contexts !== null && contexts.length > 0 && contexts.every(({ document }) => document === null))
    lines.push('the document of a passage: none is named, so that passages count by their text alone')
  if (isHttpApproach(approach) && httpPlan(approach).reply.contexts?.cited_only === true)
    lines.push(
      'what it retrieved and did not cite: it returns cited passages alone, so that its recall is a lower bound',
    )
  if (usage === null && answer !== null) lines.push('cost: it reports no tokens')
  return lines
}

/** The paths of a reply with their first value, to choose the ones of a mapping from. */
function pathsIn(body: unknown): string[] {
  const found = new Map<string, string>()
  const walk = (value: unknown, path: string): void => {
    if (found.size >= MOST_PATHS) return
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) walk(each, `${path}[]`)
    else if (isRecord(value))
      for (const [name, each] of Object.entries(value)) walk(each, path === '' ? name : `${path}.${name}`)
    else if (!found.has(path)) found.set(path, JSON.stringify(value).slice(0, 60))
  }
  if (body !== undefined) walk(body, '')
  return [...found].map(([path, value]) => `${path === '' ? '(root)' : path} = ${value}`)
}
