import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { number, type Figure } from './figure.ts'

const PAGE = join(PROJECT_ROOT, 'docs/figures.md')

const HEAD = `# Figures

What \`npm run bench -- --write\` printed last, bench by bench. ● meets its target, ▲ misses it; others are only told. Where other work shared
the processors, times on the wall are longer than they would be alone: the load says how much waited for a processor when the bench ended.
`

const row = ({ id, what, value, unit, target, met }: Figure): string =>
  `| ${met === null ? '' : met ? '●' : '▲'} | ${id} | ${what} | ${number(value)} ${unit} | ${target} |`.replaceAll(
    '  ',
    ' ',
  )

const section = (name: string, figures: readonly Figure[]): string =>
  [
    `## ${name}\n`,
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), load ${loadavg()[0]!.toFixed(1)}.\n`,
    '| | target | what | measured | wanted |',
    '|---|---|---|---:|---|',
    ...figures.map(row),
    '',
  ].join('\n')

/** Puts a bench's figures into `docs/figures.md`, in place of those that stood there for it. */
export async function writeFigures(name: string, figures: readonly Figure[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8').catch(() => HEAD)
  const [, ...stored] = page.split(/^(?=## )/m)
  const sections = new Map(stored.map((text) => [/^## (.*)$/m.exec(text)![1]!, `${text.trimEnd()}\n`]))
  sections.set(name, section(name, figures))
  const sorted = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  await writeFile(PAGE, [HEAD, ...sorted].join('\n'))
}
