import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Copies the weights `kokoro` into the layout that the engine reads: the alphabet of the package becomes `tokenizer.json`. */
export async function writeKokoro(source: string, folder: string): Promise<void> {
  await cp(source, folder, { recursive: true })
  const { vocab } = JSON.parse(await readFile(join(source, 'vocab.json'), 'utf8')) as { vocab: Record<string, number> }
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify({ model: { vocab } }))
}
