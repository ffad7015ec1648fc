import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export interface OwnCertificate {
  /** PKCS12, for a server that stands at 127.0.0.1. */
  readonly keystore: string
  readonly password: string
  /** PEM of who signed it: itself. */
  readonly ca: string
}

/** Made by the tool that comes with Java: no key lies in the repository. */
export function ownCertificate(folder: string, name: string): OwnCertificate {
  const keystore = join(folder, `${name}.p12`)
  const password = 'for-tests-only'
  const store = ['-keystore', keystore, '-storetype', 'PKCS12', '-storepass', password]
  const keytool = (...args: string[]) =>
    execFileSync('keytool', [...args, '-alias', name, ...store], { stdio: 'pipe' }).toString()
  const subject = ['-dname', `CN=${name}`, '-ext', 'san=ip:127.0.0.1', '-validity', '1000']
  keytool('-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', ...subject)
  return { keystore, password, ca: keytool('-exportcert', '-rfc') }
}
