// What is given to others (published results, bundles, datasets, reports, sites, exports) must hold no key. All of them ask here.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { serviceOfKeyIn } from '../../../core/key-forms.ts'
import { holdsSecret } from '../../../core/known-secrets.ts'
import { remedyFor } from '../../../core/remedy.ts'
import { readZip, textOf, ZipFileError } from '../files/zip-files.ts'
import { keyFinder } from './key-fingerprints.ts'

/** A text with its position in what it is part of, such as "line 3". */
export interface PlacedText {
  where: string
  text: string
}

export interface OutgoingKeys {
  /** Names the key and what to do; null where it holds no key. A key is not quoted. */
  inText(text: string): string | null
  /** The same of the first text that holds one, after its position. */
  inTexts(texts: AsyncIterable<PlacedText>): Promise<string | null>
  /** The same of a file: the lines of a text, or the parts of a zip archive such as an Office document. Throws the system's error. */
  inFile(path: string): Promise<string | null>
}

const REMEDY = 'revoke it at its service, then make the run again or remove the credential from the file'
const ZIP_START = 'PK\u0003\u0004'
const TEXT_PART = /\.(?:xml|rels|x?html?|txt|md|csv|json|ya?ml)$/i
/** A part of an archive that is larger is not looked at. */
const MOST_PART_BYTES = 64 * 1024 * 1024

/**
 * Finds keys that this process has, keys that a run of this person had, and texts in the documented form of a key. `allowedBy` is the command that gives
 * texts in such a form away all the same, because they are examples of documents; null where they are given away. Throws `SecretsError` for a damaged
 * list of keys.
 */
export async function outgoingKeys(allowedBy: string | null): Promise<OutgoingKeys> {
  const holdsKnownKey = await keyFinder()
  const inText = (text: string): string | null => {
    if (holdsSecret(text)) return `holds a credential that is in use now: ${REMEDY}`
    if (holdsKnownKey(text)) return `holds a credential that was in use on this computer: ${REMEDY}`
    const service = allowedBy === null ? null : serviceOfKeyIn(text)
    if (service === null) return null
    return `holds a text in the form of a key (${service}): if it is one, ${REMEDY}; if it is an example of a document${remedyFor({ panel: ', write it there in another form', commandLine: `: ${allowedBy}` })}`
  }
  const inTexts = async (texts: AsyncIterable<PlacedText>): Promise<string | null> => {
    for await (const { where, text } of texts) {
      const problem = inText(text)
      if (problem !== null) return `${where} ${problem}`
    }
    return null
  }
  return {
    inText,
    inTexts,
    inFile: async (path) => ((await isZip(path)) ? await inParts(path, inText) : null) ?? inTexts(linesOf(path)),
  }
}

async function* linesOf(path: string): AsyncGenerator<PlacedText> {
  let line = 0
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line += 1
    yield { where: `line ${line}`, text }
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ZIP_START.length), 0, ZIP_START.length, 0)
    return buffer.toString('latin1', 0, bytesRead) === ZIP_START
  } finally {
    await file.close()
  }
}

/** The problem of the first text in an archive that has one, of XML also without its tags, which can divide a word. An archive that is damaged or hostile has no texts. */
async function inParts(path: string, inText: OutgoingKeys['inText']): Promise<string | null> {
  try {
    return await readZip(
      path,
      () => null,
      async (zip) => {
        for (const entry of zip.entries) {
          if (!TEXT_PART.test(entry.name) || entry.sizeBytes > MOST_PART_BYTES) continue
          const text = await textOf(zip, entry, MOST_PART_BYTES)
          const problem = inText(text) ?? inText(text.replace(/<[^>]*>/g, ''))
          if (problem !== null) return `${entry.name} in it ${problem}`
        }
        return null
      },
    )
  } catch (error) {
    if (error instanceof ZipFileError) return null
    throw error
  }
}
