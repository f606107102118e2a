import { ReadSentence, Speaker, Speakers, type NewSpeaker } from '../../../contract/http/speakers.ts'
import { callService, ServiceCallError } from '../../data/service-call.ts'
import { uploadForm } from '../speech/speech-client.ts'

const PATH = '/v1/speakers'
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const NO_SPEAKERS: Speakers = {
  object: 'list',
  data: [],
  sentences: [],
  min_sentences: 0,
  unavailable: 'The recogniser that is connected here keeps no speakers.',
}

/** Speakers and sentences; a recogniser of others has neither. Throws `ServiceCallError`. */
export async function listSpeakers(): Promise<Speakers> {
  try {
    return Speakers.parse(await (await callService('stt', PATH)).json())
  } catch (error) {
    if (error instanceof ServiceCallError && error.status === 404) return NO_SPEAKERS
    throw error
  }
}

export async function addSpeaker(speaker: NewSpeaker): Promise<Speaker> {
  return Speaker.parse(await (await callService('stt', PATH, json(speaker))).json())
}

/** Keeps the recording of a sentence and says what was heard. Throws `ServiceCallError` with what is wrong with it. */
export async function addSentence(id: string, text: string, recording: Blob): Promise<ReadSentence> {
  const body = uploadForm({ text }, { name: 'file', blob: recording, filename: 'sentence' })
  const answer = await callService('stt', `${pathOf(id)}/sentences`, { method: 'POST', body })
  return ReadSentence.parse(await answer.json())
}

/** Settles after a minute or two. Throws `ServiceCallError`. */
export async function fitSpeaker(id: string): Promise<Speaker> {
  return Speaker.parse(await (await callService('stt', `${pathOf(id)}/fit`, json({}))).json())
}

/** Recordings and model are gone afterwards. Throws `ServiceCallError`. */
export async function deleteSpeaker(id: string): Promise<void> {
  await callService('stt', pathOf(id), { method: 'DELETE' })
}
