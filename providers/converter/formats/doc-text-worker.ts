// The package has no types; importers of this file need the declarations beside it.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./word-extractor.d.ts" />
import { parentPort, workerData } from 'node:worker_threads'
import WordExtractor from 'word-extractor'
import type { DocText } from './legacy-office.ts'

/** A thread that takes the texts out of one Word file of the old format: damaged ones send the library round in circles, so its parent ends it. */
const extracted = await new WordExtractor().extract(Buffer.from(workerData as Uint8Array)).catch(() => null)
const text: DocText | null =
  extracted === null
    ? null
    : {
        body: extracted.getBody(),
        textBoxes: extracted.getTextboxes({ includeHeadersAndFooters: false }),
        footnotes: extracted.getFootnotes(),
        endnotes: extracted.getEndnotes(),
        hasHeaders: extracted.getHeaders().trim() !== '',
        hasComments: extracted.getAnnotations().trim() !== '',
      }
parentPort!.postMessage(text)
