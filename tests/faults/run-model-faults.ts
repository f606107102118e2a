// Runs the ladder over every way in which services of models misbehave, and prints a table: fault, number of answers, what the run reports, the right action.
//   node tests/faults/run-model-faults.ts            all of them
//   node tests/faults/run-model-faults.ts 429 html   some
//   node tests/faults/run-model-faults.ts --models vanilla-rag,workflow-adaptive-rag    all of them, on these approaches
//   node tests/faults/run-model-faults.ts --write    all of them, into docs/real-models.md
// Ends with 1 where a run does something else than the table of faults declares.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { problemsOf, rowOf, runWith, TABLE_HEAD } from './faulty-run.ts'
import { FAULT_TABLE, MODEL_FAULTS } from './model-faults.ts'

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { models: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const unknown = names.filter((name) => !Object.hasOwn(MODEL_FAULTS, name))
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(MODEL_FAULTS).join(', ')}`)
  process.exit(2)
}
console.log(TABLE_HEAD)
const wrong: string[] = []
const rows: string[] = []
for (const [name, fault] of Object.entries(MODEL_FAULTS)) {
  if (names.length > 0 && !names.includes(name)) continue
  const outcome = await runWith(fault, values.models)
  const row = rowOf(name, fault, outcome)
  console.log(row)
  rows.push(row)
  wrong.push(...problemsOf(fault, outcome).map((problem) => `${name}: ${problem}`))
  if (process.env['VERBOSE'] === '1') console.error(`--- ${name} (${outcome.seconds.toFixed(1)} s)\n${outcome.output}`)
}
for (const problem of wrong) console.error(`▲ ${problem}`)
process.exitCode = wrong.length === 0 ? 0 : 1
if (names.length === 0 && values.models === undefined && values.write) {
  const file = join(PROJECT_ROOT, FAULT_TABLE.file)
  const text = await readFile(file, 'utf8')
  const [before, , after] = text.split(FAULT_TABLE.mark)
  await writeFile(file, [before, `\n\n${[TABLE_HEAD, ...rows].join('\n')}\n\n`, after].join(FAULT_TABLE.mark))
}
