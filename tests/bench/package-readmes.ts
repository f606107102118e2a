import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { RetrievalQuestion, RetrievalSet } from './retrieval-set.ts'

/**
 * Longer documents of another domain that we did not write: the readme files of the packages that `npm ci` installed. What is asked is how each
 * package describes itself in `package.json`, a sentence by the same author in other words; its readme without that sentence is the gold
 * document. Texts and questions are read where they are installed and never copied; most have the licences MIT, ISC and BSD, and
 * `npm run notices` writes that of each. The lock file decides which packages there are, so a figure holds for one lock file.
 */

const SHORTEST_README = 2500
const LONGEST_README = 40_000
const FEWEST_WORDS = 5

const Package = z.looseObject({ name: z.string(), description: z.string() })

export async function packageReadmes(root: string): Promise<RetrievalSet> {
  const documents = new Map<string, string>()
  const questions: RetrievalQuestion[] = []
  const asked = new Set<string>()
  for (const name of await packageNames(join(root, 'node_modules'))) {
    const read = await readPackage(join(root, 'node_modules', name))
    if (read === null) continue
    const document = `${name.replace('@', '').replaceAll('/', '-')}.md`
    const text = withoutSentence(read.readme, read.description)
    if (text.length < SHORTEST_README || text.length > LONGEST_README || asked.has(read.description)) continue
    asked.add(read.description)
    documents.set(document, `# ${name}\n\n${text.trim()}\n`)
    if (isQuestion(read.description, name))
      questions.push({
        id: name,
        text: read.description,
        gold: [{ document }],
        secondHalf: questions.length % 2 === 1,
      })
  }
  return { name: 'package-readmes', imported: true, documents, questions }
}

/** In the order of their names, which an operating system does not decide. */
async function packageNames(folder: string): Promise<string[]> {
  const names: string[] = []
  for (const entry of await readdir(folder)) {
    if (entry.startsWith('.')) continue
    if (entry.startsWith('@')) names.push(...(await readdir(join(folder, entry))).map((own) => `${entry}/${own}`))
    else names.push(entry)
  }
  return names.sort()
}

async function readPackage(folder: string): Promise<{ description: string; readme: string } | null> {
  try {
    const manifest = Package.safeParse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
    const readme = (await readdir(folder)).find((file) => /^readme\.(md|markdown)$/i.test(file))
    if (!manifest.success || readme === undefined) return null
    return { description: manifest.data.description.trim(), readme: await readFile(join(folder, readme), 'utf8') }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** A description that names its package would be found by the name alone. */
function isQuestion(description: string, name: string): boolean {
  const own = name.split('/').at(-1)!.toLowerCase()
  return description.split(/\s+/).length >= FEWEST_WORDS && !description.toLowerCase().includes(own)
}

/** Without the lines that repeat the description word for word, whatever their case and marks. */
function withoutSentence(readme: string, description: string): string {
  const words = (text: string): string =>
    ` ${
      text
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.join(' ') ?? ''
    } `
  const sentence = words(description)
  return readme
    .split('\n')
    .filter((line) => !words(line).includes(sentence))
    .join('\n')
}
