/**
 * The way from `npm start` to a verdict with an OpenAI-compatible service, as a person walks it in a fresh project: connect the service, choose its model, run
 * the smallest dataset, read the verdict. Prints clicks and seconds of each step; with --write the page docs/start-to-verdict has them, with a picture of each.
 *
 *     node tests/bench/start-to-verdict.ts [--write]
 *
 * The model behind the service is of rules that do all work of a run (`tests/faults/answering-model.ts`), so that the seconds are those of the program.
 */
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect as patient, type Page } from '@playwright/test'
import { findChromium } from '../../build/e2e/find-program.ts'
import { answerOf } from '../faults/answering-model.ts'
import type { AskedOfModel } from '../helpers/capable-model.ts'
import { startModelService } from '../helpers/model-service.ts'
import { Person } from '../helpers/person.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { smallPng } from '../helpers/small-png.ts'

const LONG_MS = 600_000
const PAGE_FOLDER = join(PROJECT_ROOT, 'docs/start-to-verdict')
const isWritten = process.argv.includes('--write')
const load = Math.round(loadavg()[0]!)
const steps: { step: string; at: string; clicks: number; picture: string }[] = []
const expect = patient.configure({ timeout: 120_000 })

const service = await startModelService(({ path, body }) => {
  if (path.endsWith('/models')) return { json: { object: 'list', data: [{ id: 'answering-model' }] } }
  if (!path.endsWith('/chat/completions')) return { status: 404, json: {} }
  const message = { role: 'assistant', ...answerOf(body as AskedOfModel) }
  const finish_reason = message.tool_calls === undefined ? 'stop' : 'tool_calls'
  const usage = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 }
  const choices = [{ index: 0, finish_reason, message }]
  return { json: { id: 'c', object: 'chat.completion', created: 1, model: 'answering-model', choices, usage } }
})
const project = await mkdtemp(join(tmpdir(), 'start-to-verdict-'))
for (const folder of ['manifests', 'corpus'])
  await cp(join(PROJECT_ROOT, folder), join(project, folder), { recursive: true })

const started = performance.now()
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1)
const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...env } = process.env
const app = spawn('npm', ['start', '--', '--project', project], { cwd: PROJECT_ROOT, env, detached: true })
let output = ''
const link = new Promise<string>((resolve, reject) => {
  const read = (text: Buffer): void => {
    output += text.toString()
    const found = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(output)
    if (found !== null) resolve(found[0])
  }
  app.stdout.on('data', read)
  app.stderr.on('data', read)
  app.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)))
})
const browser = await chromium.launch({
  executablePath: process.env['RAG_LADDER_CHROMIUM'] ?? findChromium('whole') ?? '',
})
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  page.setDefaultTimeout(120_000)
  const person = await Person.at(page)
  await page.goto(await link)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  person.begin()
  await walk(page, person)
  const { clicks, typed } = await person.effort()
  const sum = `${seconds()} s from \`npm start\` to the verdict: ${clicks} clicks, ${typed} times typed; the service was called ${service.calls.length} times.`
  console.log(sum)
  if (isWritten) await writeFile(join(PAGE_FOLDER, 'README.md'), pageOf(sum))
} finally {
  await browser.close()
  process.kill(-app.pid!, 'SIGTERM')
  await new Promise((resolve) => app.once('exit', resolve))
  await service.close()
  await rm(project, { recursive: true, force: true, maxRetries: 5 })
}

async function walk(page: Page, person: Person): Promise<void> {
  const at = async (step: string, name: string): Promise<void> => {
    const { clicks } = await person.effort()
    console.log(`${seconds()} s, ${clicks} clicks: ${step}`)
    const picture = `${steps.length + 1}-${name}.png`
    steps.push({ step, at: seconds(), clicks, picture })
    if (!isWritten) return
    await mkdir(PAGE_FOLDER, { recursive: true })
    await writeFile(join(PAGE_FOLDER, picture), await smallPng(await page.screenshot({ animations: 'disabled' })))
  }
  await page.getByRole('button', { name: 'Skip the tour', exact: true }).first().click()
  await expect(page.getByRole('button', { name: 'Run the example' })).toBeEnabled()
  await at('Home, after the tour was skipped', 'home')
  await page.getByRole('navigation').getByRole('link', { name: 'Models', exact: true }).first().click()
  await page.getByRole('button', { name: 'Connect a service' }).first().click()
  await person.fill(page.getByRole('form', { name: 'Connect a service' }).getByLabel('Address'), `${service.url}/v1`)
  await person.press('Enter')
  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor.getByLabel('Model: Model that writes text')).toHaveValue('answering-model')
  await at('Models: the service is connected by its address; answers, JSON, tools and embeddings were tried', 'models')
  await editor.getByRole('button', { name: 'Use in new run' }).click()
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(1)
  await at('New run, with the model of the service', 'new-run')
  await page.getByRole('button', { name: /^Data/ }).first().click()
  await page.getByRole('button', { name: 'None', exact: true }).first().click()
  await page.getByRole('checkbox', { name: /^Smoke/ }).click()
  const run = page.getByRole('button', { name: /^Run \d+ answers$/ })
  await expect(run).toBeEnabled()
  await at('New run, with the smallest dataset alone; the plan beside it', 'data')
  await run.click()
  await expect(page.getByText('Start services').first()).toBeVisible()
  await at('The run has begun', 'run')
  await page
    .getByRole('navigation', { name: 'Parts of the run' })
    .getByRole('link', { name: 'Verdict', exact: true })
    .click()
  await expect(page.getByRole('article').first()).toBeVisible({ timeout: LONG_MS })
  await at('The verdict', 'verdict')
}

function pageOf(sum: string): string {
  const rows = steps.map(({ step, at, clicks }) => `| ${step} | ${at} | ${clicks} |`)
  const pictures = steps.map(({ step, picture }) => `## ${step}\n\n![${step}](${picture})\n`)
  return `# From \`npm start\` to a verdict

What a person does in a new project with an OpenAI-compatible service. \`node tests/bench/start-to-verdict.ts --write\` does it in a browser, counts the clicks and writes this page
(${new Date().toISOString().slice(0, 10)}, load ${load} on two processors). Rules answer in that service, so the seconds are those of the program.

| Step | seconds from \`npm start\` | clicks |
|---|---:|---:|
${rows.join('\n')}

${sum}

${pictures.join('\n')}`
}
