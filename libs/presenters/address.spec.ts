import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { address } from '../chain/hex.ts'
import { checksum } from './address.ts'

// The examples of EIP-55.
test.each([
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('%s is the checksummed form', (text) => {
  expect([checksum(address(text)), checksum(address(text))]).toEqual([text, text])
})

test('is what another implementation computes', () => {
  for (let count = 0; count < 500; count++) {
    const digits = (BigInt(count) * 0x9e3779b97f4a7c15f39cc0605cedc835n) & (2n ** 160n - 1n)
    const text = address(`0x${digits.toString(16).padStart(40, '0')}`)
    expect(checksum(text)).toBe(getAddress(text))
  }
})

test('addresses that end alike are not taken for each other', () => {
  const alike = ['a', 'b', 'c'].map((digit) => address(`0x${digit.repeat(36)}beef`))
  const expected = alike.map((one) => getAddress(one))
  expect([...alike, ...alike].map(checksum)).toEqual([...expected, ...expected])
})
