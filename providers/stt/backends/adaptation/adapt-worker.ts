import { readFile, writeFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { adaptModel } from './adapt-model.ts'
import { addedEntries, readDictionary } from './pronunciations.ts'
import { spokenSentences } from './spoken-sentences.ts'
import { readTrieModel, writeTrieModel } from './trie-model.ts'

/** What is to be made: files of the general model, the text, and where the new ones go. */
export interface AdaptTask {
  modelFile: string
  dictionaryFile: string
  text: string
  modelTarget: string
  dictionaryTarget: string
}

const { modelFile, dictionaryFile, text, modelTarget, dictionaryTarget } = workerData as AdaptTask
const general = readTrieModel(await readFile(modelFile))
const dictionary = await readFile(dictionaryFile, 'utf8')
const known = readDictionary(dictionary)
const sentences = spokenSentences(text)
const added = addedEntries(known, new Set(sentences.flat()))
// What cannot be pronounced cannot be heard either.
const isSayable = (word: string) => known.has(word) || added.has(word)
const adapted = adaptModel(
  general,
  sentences.filter((words) => words.every(isSayable)),
)
const entries = [...added].map(([word, phones]) => `${word} ${phones.join(' ')}\n`)
await writeFile(dictionaryTarget, `${dictionary.trimEnd()}\n${entries.join('')}`)
await writeFile(modelTarget, writeTrieModel(adapted))
parentPort!.postMessage({ newWords: adapted.words.length - general.words.length })
