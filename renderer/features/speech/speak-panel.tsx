import { Button, Select, Slider, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_SPEECH_CHARACTERS } from '../../../contract/http/speech.ts'
import { LoadingRows, Panel } from '../../components/states.tsx'
import { ServiceFault } from './service-fault.tsx'
import { listVoices, speak, speechModels } from './speech-client.ts'
import { Waveform } from './waveform.tsx'
import styles from './speech.module.css'

/** Type a text, choose engine and voice, listen. */
export function SpeakPanel() {
  const models = useQuery({ queryKey: ['speech', 'models'], queryFn: speechModels })
  const voices = useQuery({ queryKey: ['speech', 'voices'], queryFn: listVoices })
  const [text, setText] = useState('The shortest answer is often the one that cites its source.')
  const [model, setModel] = useState<string | null>(null)
  const [voice, setVoice] = useState<string | null>(null)
  const [speed, setSpeed] = useState(1)
  const speaking = useMutation({ mutationFn: speak })
  const chosen = models.data?.find(({ id }) => id === model) ?? models.data?.[0]
  const choices = chosen?.clones === true ? voices.data?.map(({ name }) => name) : chosen?.voices.map(({ id }) => id)
  const chosenVoice = voice !== null && choices?.includes(voice) === true ? voice : (choices?.[0] ?? null)
  return (
    <Panel title="Text to speech">
      {models.isPending && <LoadingRows rows={10} />}
      {models.isError && <ServiceFault error={models.error} service="tts" />}
      {chosen !== undefined && (
        <div className={styles.stack}>
          <Textarea
            label="Text"
            autosize
            minRows={3}
            maxRows={12}
            maxLength={MAX_SPEECH_CHARACTERS}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div className={styles.fields}>
            <Select
              label="Engine"
              allowDeselect={false}
              data={models.data?.map(({ id }) => id) ?? []}
              value={chosen.id}
              onChange={setModel}
            />
            <Select
              label="Voice"
              allowDeselect={false}
              data={choices ?? []}
              value={chosenVoice}
              onChange={setVoice}
              placeholder="No voice is registered"
            />
            <div>
              <label htmlFor="speech-speed">Tempo {speed.toFixed(1)}×</label>
              <Slider
                id="speech-speed"
                thumbLabel="Tempo"
                min={0.5}
                max={2}
                step={0.1}
                value={speed}
                onChange={setSpeed}
                label={null}
              />
            </div>
          </div>
          <p className="dim">{chosen.description}</p>
          <div className={styles.actions}>
            <Button
              loading={speaking.isPending}
              disabled={text.trim() === '' || chosenVoice === null}
              onClick={() => speaking.mutate({ input: text, model: chosen.id, voice: chosenVoice ?? '', speed })}
            >
              Speak the text
            </Button>
          </div>
          {speaking.isError && <ServiceFault error={speaking.error} service="tts" />}
          {speaking.data !== undefined && <Waveform sound={speaking.data} label="the speech" />}
        </div>
      )}
    </Panel>
  )
}
