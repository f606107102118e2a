import { Select, Slider, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { MAX_SPEECH_CHARACTERS } from '../../../contract/http/speech.ts'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { Panel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { ReadingFault, ServiceFault } from './service-fault.tsx'
import { listVoices, speak, speechModels } from './speech-client.ts'
import styles from './speech.module.css'
import { Waveform } from './waveform.tsx'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.speakPanel

/** Type a text, choose engine and voice, listen. */
export function SpeakPanel() {
  const [isUsed, setIsUsed] = useState(false)
  const { models, voices, isAbsent } = useSpeechLists(isUsed)
  const [text, setText] = useState<string>(WORDS.example)
  const [model, setModel] = useState<string | null>(null)
  const [voice, setVoice] = useState<string | null>(null)
  const [speed, setSpeed] = useState(1)
  const speaking = useMutation({ mutationFn: speak })
  const chosen = models.data?.find(({ id }) => id === model) ?? models.data?.[0]
  const clones = chosen?.clones === true
  const choices = clones ? voices.data?.map(({ name }) => name) : chosen?.voices.map(({ id }) => id)
  const chosenVoice = voice !== null && choices?.includes(voice) === true ? voice : choices?.[0]
  const whyNot = (): ReactNode => {
    if (isAbsent) return WORDS.noService
    if (text.trim() === '') return WORDS.needsText
    // Before engines and voices are listed the service takes its own choice of both.
    if (!clones || chosenVoice !== undefined) return null
    if (voices.isError) return WORDS.voicesUnreadable
    if (voices.isPending) return WORDS.voicesLoading
    return (
      <>
        {WORDS.noVoice}
        <Link to="/tools/audio" search={{ view: 'voices' }}>
          {WORDS.makeOne}
        </Link>
        .
      </>
    )
  }
  return (
    <Panel title={WORDS.textToSpeech}>
      <div className="stack" onFocus={() => setIsUsed(true)}>
        <Textarea
          label={WORDS.text}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={MAX_SPEECH_CHARACTERS}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <div className="fields">
          <Select
            label={WORDS.engine}
            data={models.data?.map(({ id }) => id) ?? []}
            value={chosen?.id ?? null}
            onChange={setModel}
            placeholder={WORDS.default}
            nothingFoundMessage={WORDS.notListedYet}
          />
          <Select
            label={WORDS.voice}
            data={choices ?? []}
            value={chosenVoice ?? null}
            onChange={setVoice}
            placeholder={clones ? WORDS.noneIsRegistered : WORDS.default}
            nothingFoundMessage={clones ? WORDS.noneIsRegistered : WORDS.notListedYet}
          />
          <div>
            <label htmlFor="speech-speed">{WORDS.tempoOf(speed.toFixed(1))}</label>
            <Slider
              id="speech-speed"
              thumbLabel={WORDS.tempo}
              min={0.5}
              max={2}
              step={0.1}
              value={speed}
              onChange={setSpeed}
              label={null}
            />
          </div>
        </div>
        <p className="dim" role="status">
          {chosen?.description ??
            (models.isFetching
              ? WORDS.starting
              : models.isPending
                ? WORDS.startsOnUse
                : models.isSuccess && WORDS.noEngine)}
        </p>
        <ReadingFault query={models.isError ? models : voices} service="tts" />
        <div className={styles.actions}>
          <ButtonWithReason
            why={whyNot()}
            loading={speaking.isPending}
            onClick={() => speaking.mutate({ input: text, model: chosen?.id, voice: chosenVoice, speed })}
          >
            {WORDS.speakTheText}
          </ButtonWithReason>
        </div>
        {speaking.isError && <ServiceFault error={speaking.error} service="tts" />}
        {speaking.data !== undefined && <Waveform sound={speaking.data} label={WORDS.theSpeech} />}
      </div>
    </Panel>
  )
}

/** Engines and voices. Asking starts text to speech where it does not run, so that waits until it is used: a page that is looked at starts nothing. */
function useSpeechLists(isUsed: boolean) {
  const services = useQuery(api.services.list.queryOptions())
  const tts = services.data?.find(({ name }) => name === 'tts')
  const enabled = isUsed || tts?.state === 'ready' || tts?.state === 'external'
  const models = useQuery({ queryKey: ['speech', 'models'], queryFn: speechModels, enabled })
  const voices = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices, enabled })
  return { models, voices, isAbsent: tts?.state === 'absent' }
}
