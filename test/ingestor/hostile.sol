// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Emits what a token would, and answers every question in the manner that it was made for.
contract Hostile {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Deposit(address indexed to, uint256 value);

    uint256 private immutable manner;
    string private words;

    constructor(uint256 manner_, string memory words_) {
        manner = manner_;
        words = words_;
    }

    function act(address to) external {
        emit Transfer(address(0), to, 1);
        emit Deposit(to, 1);
    }

    fallback() external {
        if (manner == 0) revert(words);
        if (manner == 1) while (gasleft() >= 0) {}
        uint256 size = 2_000_000;
        if (manner == 2) assembly { return(0, size) }
        if (manner == 3) assembly { revert(0, size) }
        if (manner == 4) assembly { invalid() }
        // The length of a text that is longer than the answer.
        assembly {
            mstore(0, 0x20)
            mstore(0x20, not(0))
            return(0, 0x40)
        }
    }
}
