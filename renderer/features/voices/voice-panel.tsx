import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClonedVoice } from '../../../contract/http/speech.ts'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { moment, withMoments } from '../../components/format.ts'
import { LoadingRows, Panel } from '../../components/states.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { Spectrogram } from '../speech/spectrogram.tsx'
import { deleteVoice, renameVoice, speak, voiceClip } from '../speech/speech-client.ts'
import styles from '../speech/speech.module.css'
import { Waveform } from '../speech/waveform.tsx'

/** One registered voice: its clip, a sentence in it, both side by side; rename, delete. */
export function VoicePanel({ voice }: { voice: ClonedVoice }) {
  const client = useQueryClient()
  const [text, setText] = useState('Nine of the twelve reports describe the same campaign.')
  const [newName, setNewName] = useState<string | null>(null)
  const [isSure, setIsSure] = useState(false)
  const clip = useQuery({ queryKey: ['speech', 'clip', voice.sha256], queryFn: () => voiceClip(voice.name) })
  const speaking = useMutation({ mutationFn: speak })
  const onSuccess = () => client.invalidateQueries({ queryKey: ['speech', 'voices'] })
  const rename = useMutation({ mutationFn: (name: string) => renameVoice(voice.name, name), onSuccess })
  const remove = useMutation({ mutationFn: () => deleteVoice(voice.name), onSuccess })
  const fault = clip.error ?? speaking.error ?? rename.error ?? remove.error
  return (
    <Panel
      title={voice.name}
      aside={
        <>
          <Button
            variant="default"
            aria-label={`Rename ${voice.name}`}
            onClick={() => setNewName(newName === null ? voice.name : null)}
          >
            Rename
          </Button>
          <Button
            variant="default"
            color="red"
            loading={remove.isPending}
            onBlur={() => setIsSure(false)}
            onClick={() => (isSure ? remove.mutate() : setIsSure(true))}
          >
            {isSure ? 'Delete the clip for good' : 'Delete'}
            <span className="hidden-text">
              {isSure && ' of'} {voice.name}
            </span>
          </Button>
        </>
      }
    >
      {newName !== null && (
        <div className={styles.actions}>
          <TextInput
            aria-label="New name"
            w="100%"
            maw={360}
            value={newName}
            maxLength={100}
            onChange={(event) => setNewName(event.currentTarget.value)}
          />
          <ButtonWithReason
            why={newName.trim() === '' ? 'It needs a name.' : newName === voice.name ? 'It has this name.' : null}
            loading={rename.isPending}
            onClick={() => rename.mutate(newName)}
          >
            Rename to this
          </ButtonWithReason>
        </div>
      )}
      <p className="dim">
        {voice.seconds.toFixed(1)} s, {voice.median_f0_hz ?? '–'} Hz, {moment(voice.upload_date)}. Consent:{' '}
        {voice.consent === null ? 'not stated' : withMoments(voice.consent)}. Licence: {voice.license ?? 'not stated'}.
        From: {voice.provenance ?? 'not stated'}.
      </p>
      {clip.isPending && <LoadingRows rows={1} height={82} />}
      {clip.data !== undefined && <Waveform sound={clip.data} label={`the clip of ${voice.name}`} />}
      <div className={styles.actions}>
        <TextInput
          aria-label={`Text for ${voice.name}`}
          w="100%"
          maw={480}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <ButtonWithReason
          why={text.trim() === '' ? 'Type a text first.' : null}
          loading={speaking.isPending}
          aria-label={`Speak as this voice: ${voice.name}`}
          onClick={() => speaking.mutate({ input: text, voice: voice.name })}
        >
          Speak as this voice
        </ButtonWithReason>
      </div>
      {speaking.data !== undefined && <Waveform sound={speaking.data} label={`speech as ${voice.name}`} />}
      {speaking.data !== undefined && clip.data !== undefined && (
        <div className={styles.pair}>
          <Spectrogram sound={clip.data} label="Clip" />
          <Spectrogram sound={speaking.data} label="Imitation" />
        </div>
      )}
      {fault !== null && <ServiceFault error={fault} service="tts" />}
    </Panel>
  )
}
