// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// An ERC-20 with any decimals and any name, the empty one included. Everybody may mint.
contract DemoToken is ERC20 {
    uint8 private immutable places;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        places = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return places;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function burn(uint256 value) external {
        _burn(msg.sender, value);
    }

    /// One transaction, many transfers: more than a list row shows.
    function spread(address[] calldata to, uint256 value) external {
        for (uint256 n = 0; n < to.length; n++) _transfer(msg.sender, to[n], value);
    }
}
