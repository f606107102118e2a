import { readFile, writeFile } from 'node:fs/promises'
import { METRICS } from '../contract/index.ts'
import { answerHelp } from './answer-help.ts'

const FILE = new URL('../docs/GLOSSARY.md', import.meta.url)

const row = (word: string, meaning: string): string => `| ${word} | ${meaning} |`
const wordOf = (line: string): string => line.split(' | ')[0]!.slice(2)

/** The glossary with each metric in the words of its descriptor: rows are replaced, and new ones come where the alphabet puts them. */
function withMetrics(text: string): string {
  const lines = text.split('\n')
  for (const { label, definition } of METRICS) {
    const known = lines.findIndex((line) => line.startsWith(`| ${label} |`))
    if (known >= 0) lines[known] = row(label, definition)
    else {
      const isAfter = (line: string): boolean => line.startsWith('| ') && wordOf(line).localeCompare(label, 'en') > 0
      const next = lines.findIndex(
        (line, index) => index > lines.indexOf('| --- | --- |') && (isAfter(line) || line === ''),
      )
      lines.splice(next, 0, row(label, definition))
    }
  }
  return lines.join('\n')
}

/** Whether docs/GLOSSARY.md defines every metric in the words of its descriptor. */
export async function isGlossaryCurrent(): Promise<boolean> {
  const text = await readFile(FILE, 'utf8').catch(() => '')
  return text === withMetrics(text)
}

if (import.meta.main) {
  answerHelp('npm run glossary: writes the metrics into docs/GLOSSARY.md')
  await writeFile(FILE, withMetrics(await readFile(FILE, 'utf8')))
  console.log('docs/GLOSSARY.md written')
}
