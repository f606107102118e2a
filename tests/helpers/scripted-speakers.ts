import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ReadSentence, Speaker, Speakers } from '../../contract/http/speakers.ts'

const SENTENCES = ['The first sentence.', 'The second sentence.', 'The third sentence.']

/** A foreign speech-to-text service with one speaker, who has read all sentences but the second. */
export interface ScriptedSpeakers {
  url: string
  /** Bodies of the readings that came, in order. */
  readings: Buffer[]
  /** Answers the reading that waits as one that was kept, or by a refusal. */
  answer: (how: 'kept' | 'busy') => void
  close: () => Promise<void>
}

export async function startScriptedSpeakers(): Promise<ScriptedSpeakers> {
  const created = '2026-11-22T08:00:00.000Z'
  const ann: Speaker = {
    id: 'ann',
    name: 'Ann Example',
    created,
    consent: 'given',
    seconds: 8,
    fit: null,
    read: [SENTENCES[0]!, SENTENCES[2]!],
  }
  const known: Speakers = { object: 'list', data: [ann], sentences: SENTENCES, min_sentences: 1, unavailable: null }
  const readings: Buffer[] = []
  let waiting: ServerResponse | null = null
  const send = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  /** Null: the answer waits for the test. */
  const reply = (call: string, body: Buffer): [status: number, body: object] | null => {
    switch (call) {
      case 'GET /v1/speakers':
        return [200, known]
      case 'POST /v1/speakers/ann/sentences':
        readings.push(body)
        return null
      case 'POST /v1/speakers/ann/fit':
        ann.fit = {
          created,
          sentences: 3,
          matched_sentences: 2,
          checked_sentences: 1,
          checked_words: 3,
          errors_before: 0,
          errors_after: 1,
          used: false,
        }
        return [200, ann]
      case 'DELETE /v1/speakers/ann':
        known.data = []
        return [200, { message: 'deleted' }]
      default:
        return [404, { detail: 'Not Found' }]
    }
  }
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const answer = reply(`${request.method} ${request.url}`, body)
      if (answer === null) waiting = response
      else send(response, ...answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readings,
    answer: (how) => {
      if (how === 'kept') ann.read = [...new Set([...ann.read, SENTENCES[1]!])]
      const kept: ReadSentence = { speaker: ann, seconds: 2, heard: 'the second sentence', words: 3, errors: 0 }
      if (how === 'kept') send(waiting!, 201, kept)
      else send(waiting!, 429, { detail: 'Another recording is being transcribed.' })
      waiting = null
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
